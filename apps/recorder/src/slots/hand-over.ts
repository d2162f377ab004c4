import { pause } from '@session/kit';
import type { RecorderLog } from '../process/log.ts';
import type { RecorderQueries } from '../queries.ts';
import type { Timing } from '../timing.ts';
import type { HeldSlot } from './held-slot.ts';

const CHECKS_PER_POLL = 20;

interface HandOverDeps {
  readonly recorderId: string;
  readonly queries: Pick<RecorderQueries, 'listHandedOver' | 'wakeRecorders'>;
  readonly log: RecorderLog;
  readonly timing: Timing;
  readonly announce: () => Promise<void>;
  readonly mayDeclareDead: () => boolean;
  readonly list: () => readonly Pick<HeldSlot, 'sessionId' | 'state'>[];
  readonly end: (sessionId: string, coveredSince: number | undefined) => void;
}

/**
 * Ends each recording when another recorder covers the session, or there is none. Resolves when all are ended, when
 * `until` aborts, or when a statement fails.
 */
export async function handOver(deps: HandOverDeps, until: AbortSignal): Promise<void> {
  const { recorderId, queries, log, timing, announce, mayDeclareDead, list, end } = deps;
  try {
    await announce();
    await queries.wakeRecorders();
    while (!until.aborted) {
      const held = list().flatMap(({ sessionId, state }) => (state === 'held' ? sessionId : []));
      if (held.length === 0) return;
      const left = await queries.listHandedOver(recorderId, held, mayDeclareDead());
      for (const { sessionId, since } of left) {
        end(sessionId, since === null ? undefined : Date.parse(since));
      }
      await pause(timing.pollMs / CHECKS_PER_POLL, until);
    }
  } catch (err) {
    log.warn({ err }, 'handing over sessions failed; not waiting for other recorders');
  }
}
