import type { SlotQueries } from '@session/db';
import type { Logger } from 'pino';

/** How many slots one statement claims: small steps share the sessions fairly among recorders that claim together. */
const CLAIM_STEP = 16;

export interface ClaimDeps {
  readonly recorderId: string;
  readonly capacity: number;
  /** How many recorders each session is to have. */
  readonly redundancy: number;
  readonly queries: Pick<SlotQueries, 'claimSlots' | 'provideSlots'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Claims all slots that this recorder is to take now, when it holds `load` of them; with `fromDead`, slots of dead
 * recorders too. Throws when the database is away.
 */
export async function claimSlots(
  { recorderId, capacity, redundancy, queries, log }: ClaimDeps,
  load: number,
  fromDead: boolean,
): Promise<void> {
  await queries.provideSlots(redundancy);
  let held = load;
  for (;;) {
    const claim = { recorderId, limit: CLAIM_STEP, capacity, fromDead };
    const slots = await queries.claimSlots(claim);
    if (slots.length === 0) return;
    held += slots.length;
    if (held <= capacity) continue;
    log.warn({ load: held, capacity }, 'more sessions than the capacity: no recorder has room');
    // One step in each round, so that all recorders take their share.
    return;
  }
}
