import type { SlotQueries } from '@session/db';
import type { Logger } from 'pino';

/** How many slots one statement claims: small steps share the sessions fairly among recorders that claim together. */
const CLAIM_STEP = 16;

export interface ClaimDeps {
  readonly recorderId: string;
  readonly capacity: number;
  /** How many recorders each session should have. */
  readonly redundancy: number;
  readonly queries: Pick<SlotQueries, 'claimSlots' | 'provideSlots'>;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Claims every slot that this recorder may claim. `load` is the number of slots that it holds already. With `fromDead`, slots
 * of dead recorders may be claimed too. The recording of a claimed slot begins when the slot is listed next (`listSlots`).
 * Throws when the database is away.
 */
export async function claimAllSlots(
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
    log.warn(
      { load: held, capacity },
      'this recorder records more sessions than its capacity: no other recorder has capacity left',
    );
    // One step in each round, so that all recorders take their share.
    return;
  }
}
