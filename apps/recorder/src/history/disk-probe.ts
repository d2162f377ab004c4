import { repeat } from '@session/kit';
import type { Spool } from './spool/spool.ts';
import type { StorageState } from './storage-state.ts';

const EVERY_MS = 500;

interface DiskProbeDeps {
  readonly spool: Pick<Spool, 'probe'>;
  readonly state: Pick<StorageState, 'isDiskOk' | 'spooled'>;
  /** Whether messages that the disk refused are tried again: that asks the disk, with all that it should take. */
  readonly isAsked: () => boolean;
  readonly everyMs?: number;
}

/**
 * Asks a disk that takes nothing again and again, until `signal` aborts. Once the database is back nothing goes to the spool, so
 * that otherwise only its next outage would show whether the disk is back.
 */
export async function probeDisk(deps: DiskProbeDeps, signal: AbortSignal): Promise<void> {
  const { spool, state, isAsked, everyMs = EVERY_MS } = deps;
  await repeat(everyMs, signal, async () => {
    if (state.isDiskOk || isAsked()) return;
    await spool.probe().then(
      () => state.spooled(),
      () => {},
    );
  });
}
