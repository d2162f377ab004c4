import type { RecorderQueries } from '@session/db';
import { pause } from '@session/kit';
import type { Logger } from 'pino';
import type { Timing } from '../timing.ts';
import type { Assignment } from './held-slot.ts';

/** How much more often than for work it is looked who has taken over. */
const LOOKS = 20;

interface HandOverDeps {
  readonly recorderId: string;
  readonly queries: Pick<RecorderQueries, 'listHandedOver' | 'wakeRecorders'>;
  readonly log: Logger;
  readonly timing: Pick<Timing, 'pollMs'>;
  /** Says now that this recorder claims nothing more, and gives its sessions away. Throws when the database is away. */
  readonly announce: () => Promise<void>;
  /** What it records. */
  readonly list: () => readonly Assignment[];
  /** Ends what another hears since that time (milliseconds since the epoch), or what nobody else can take. */
  readonly end: (assignment: Assignment, heardSince: number | undefined) => void;
}

/**
 * Hands all sessions over to the other recorders: each is ended when another hears it, or when there is no other. Resolves
 * when all are, when `until` aborts, or when the database is away, and with it everybody who could take over.
 */
export async function handOver(deps: HandOverDeps, until: AbortSignal): Promise<void> {
  const { recorderId, queries, log, timing, announce, list, end } = deps;
  try {
    await announce();
    await queries.wakeRecorders();
    while (!until.aborted) {
      const left = new Map(
        list().flatMap((one) => (one.isEnding ? [] : [[one.recording.key.sessionId, one]])),
      );
      if (left.size === 0) return;
      for (const { sessionId, since } of await queries.listHandedOver(recorderId, [
        ...left.keys(),
      ])) {
        const assignment = left.get(sessionId);
        if (assignment) end(assignment, since === null ? undefined : Date.parse(since));
      }
      await pause(timing.pollMs / LOOKS, until);
    }
  } catch (err) {
    log.warn({ err }, 'the sessions cannot be handed over: the database does not answer');
  }
}
