import type { SlotQueries } from '@session/db';
import type { Logger } from 'pino';

/** Small steps share the sessions fairly among recorders that claim at the same time. */
const CLAIM_STEP = 16;

export interface ClaimDeps {
  readonly recorderId: string;
  readonly capacity: number;
  /** So many recorders are to record each session. */
  readonly redundancy: number;
  readonly queries: Pick<SlotQueries, 'claimSlots' | 'provideSlots'>;
  readonly log: Logger;
}

/**
 * Claims all slots that this recorder, which holds `load` of them, is to take now; those of dead recorders too if
 * `fromDead`. Throws when the database is away.
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
    // One step a poll, so that all recorders take their share.
    return;
  }
}
