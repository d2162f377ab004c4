import { repeat } from '@session/kit';
import type { RoomService } from '@session/media';
import type { Logger } from 'pino';
import type { Clock } from '../process/recorder-clock.ts';
import type { Announcer } from '../room/announcer.ts';
import { type Elsewhere, ElsewhereCheck } from '../room/elsewhere.ts';
import type { RoomLink } from '../room/room-link.ts';
import type { Timing } from '../timing.ts';
import type { Coverage } from './coverage.ts';

interface SplitDeps {
  readonly sessionId: string;
  readonly rooms: Pick<RoomService, 'hasParticipant' | 'listParticipants'>;
  readonly announcer: Pick<Announcer, 'announce'>;
  readonly coverage: Pick<Coverage, 'isSplit' | 'reunited' | 'split'>;
  /** Returns the room that is recorded from, even while it is down. */
  readonly link: () => RoomLink | undefined;
  /** Called when the interval has ended, or a new one has begun. */
  readonly changed: () => void;
  readonly log: Pick<Logger, 'error'>;
  readonly clock: Clock;
  readonly timing: Pick<Timing, 'absentMs' | 'splitCheckMs'>;
}

/**
 * Sees to it that a session counts as covered only while no participant is known to be in another room of its name. The
 * recorder follows the participants who joined last: the server leads a fresh connection to their room.
 */
export class SplitWatch implements Disposable {
  readonly #deps: SplitDeps;
  readonly #check: ElsewhereCheck;
  readonly #ending = new AbortController();

  constructor(deps: SplitDeps) {
    const { sessionId, rooms, announcer, link, clock, timing } = deps;
    this.#deps = deps;
    this.#check = new ElsewhereCheck({
      sessionId,
      rooms,
      announce: (participant) => announcer.announce(sessionId, participant),
      roster: () => rosterOf(link()),
      clock,
      absentMs: timing.absentMs,
    });
    void repeat(timing.splitCheckMs, this.#ending.signal, () => this.#ask());
  }

  /** Notes a connection, before its interval begins. `isSeamless`: it is the same room as before. */
  connected(isSeamless: boolean): void {
    if (isSeamless) return;
    // After another interruption the participants may follow the recorder: the next check tells.
    const isAlone = this.#check.joined().length === 0;
    if (isAlone) this.#deps.coverage.reunited(false, this.#deps.clock.now());
  }

  /** Notes that the room does not receive any more, after its interval has ended. */
  interrupted({ reason }: Pick<RoomLink, 'reason'>): void {
    if (reason !== 'ROOM_SPLIT') return;
    this.#check.see();
    this.#deps.coverage.split(this.#deps.clock.now());
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }

  /** Asks the server. If it does not answer, nothing changes until the next time. */
  async #ask(): Promise<void> {
    const found = await this.#check.check().catch(() => undefined);
    const { coverage, link, clock, changed } = this.#deps;
    const current = link();
    if (!found || current?.state !== 'up' || this.#ending.signal.aborted) return;
    if (found.length > 0) this.#split(current, found);
    else if (coverage.isSplit) coverage.reunited(true, clock.now());
    else return;
    changed();
  }

  #split(link: RoomLink, found: readonly Elsewhere[]): void {
    const { coverage, log, sessionId, clock } = this.#deps;
    if (!coverage.isSplit) {
      const identities = found.map(({ identity }) => identity);
      const message = 'participants are in another room of this name: the session has a gap';
      log.error({ sessionId, identities }, message);
    }
    const times = found.map((one) => (one.isLeftBehind ? 0 : (one.joinedAt ?? clock.now())));
    const since = Math.min(...times);
    coverage.split(since);
    const joinedLater = ({ joinedAt }: Elsewhere) => (joinedAt ?? 0) > (link.receivesSince ?? 0);
    if (found.some(joinedLater)) link.giveUp('ROOM_SPLIT', since);
  }
}

/** Returns who is in the room, also if it was given up; undefined when the room does not receive. */
function rosterOf(link: RoomLink | undefined) {
  return link?.state === 'up' || link?.lostSince !== undefined ? link.roster() : undefined;
}
