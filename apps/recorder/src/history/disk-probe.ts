import { repeat } from '@session/kit';
import type { Spool } from './spool/spool.ts';
import type { StorageState } from './storage-state.ts';

const EVERY_MS = 500;

interface DiskProbeDeps {
  readonly spool: Pick<Spool, 'probe'>;
  readonly state: Pick<StorageState, 'isDiskOk' | 'spooled'>;
  readonly isAsked: () => boolean;
  readonly everyMs?: number;
}

/**
 * Writes a file regularly while the disk fails and nothing else writes to it, until `signal` aborts. Without this, only
 * the next outage would show whether the disk works again.
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
