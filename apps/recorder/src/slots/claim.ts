import type { RecorderLog } from '../process/log.ts';
import type { RecorderQueries } from '../queries.ts';

/** Small steps share the sessions fairly among recorders that claim together. */
const CLAIM_STEP = 16;

export interface ClaimDeps {
  readonly recorderId: string;
  readonly capacity: number;
  readonly roomLimit: number;
  readonly redundancy: number;
  readonly queries: Pick<
    RecorderQueries,
    'claimSlots' | 'markUnclaimableSessions' | 'provideSlots'
  >;
  readonly log: RecorderLog;
}

export class SlotClaims {
  readonly #deps: ClaimDeps;
  #unclaimable = 0;

  constructor(deps: ClaimDeps) {
    this.#deps = deps;
  }

  get unclaimable(): number {
    return this.#unclaimable;
  }

  /**
   * Claims every slot that this recorder may claim beyond the `load` that it holds; with `fromDead`, slots of dead recorders
   * too. A recording begins when its slot is next listed. Throws when the database is away.
   */
  async claimAll(load: number, fromDead: boolean): Promise<void> {
    const { recorderId, roomLimit, redundancy, queries } = this.#deps;
    await queries.provideSlots(redundancy, recorderId);
    const held = await this.#claim(load, fromDead);
    const isFull = held >= roomLimit;
    this.#report(isFull ? await queries.markUnclaimableSessions(recorderId, fromDead) : 0);
  }

  async #claim(load: number, fromDead: boolean): Promise<number> {
    const { recorderId, capacity, roomLimit, queries, log } = this.#deps;
    let held = load;
    while (held < roomLimit) {
      const claim = { recorderId, limit: CLAIM_STEP, capacity, fromDead };
      const slots = await queries.claimSlots(claim);
      if (slots.length === 0) break;
      held += slots.length;
      if (held <= capacity) continue;
      log.warn(
        { load: held, capacity, roomLimit },
        'claiming beyond capacity: no other recorder has capacity left',
      );
      // One step in each round, so that all recorders take their share.
      break;
    }
    return held;
  }

  #report(sessions: number): void {
    const { roomLimit, log } = this.#deps;
    if (sessions === this.#unclaimable) return;
    this.#unclaimable = sessions;
    if (sessions === 0) log.info('resumed claiming all sessions');
    else {
      log.warn(
        { sessions, roomLimit },
        'sessions left unrecorded: all recorders are at their limit of rooms',
      );
    }
  }
}
