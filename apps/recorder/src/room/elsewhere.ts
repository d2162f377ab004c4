import { isRecorder, type PresenceEvent } from '@session/contract/room';
import type { ListedParticipant, RoomService } from '@session/media';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../process/recorder-clock.ts';

/** How many participants that are on no node are remembered. The server may still list them. */
const MAX_GONE = 1000;
/**
 * A participant that is on no node is looked up again after this time, because an overloaded node does not answer in
 * time.
 */
const GONE_MS = 60_000;

export interface Elsewhere {
  readonly identity: string;
  readonly joinedAt: number | null;
  readonly isLeftBehind: boolean;
}

interface ElsewhereDeps {
  readonly sessionId: string;
  readonly rooms: Pick<RoomService, 'hasParticipant' | 'listParticipants'>;
  readonly roster: () => readonly PresenceEvent[] | undefined;
  readonly clock: Clock;
  readonly absentMs: number;
}

interface Missing extends Elsewhere {
  readonly sid: string | null;
  readonly missedAt: number;
}

/**
 * Finds participants in another room of the session's name. The server's list lacks participants that joined before
 * Redis lost its data, so they are remembered. A killed node leaves its participants in the list, so the node of each
 * participant is asked.
 */
export class ElsewhereCheck {
  readonly #deps: ElsewhereDeps;
  #lastSeen: readonly PresenceEvent[] = [];
  #missing = new Map<string, Missing>();
  readonly #gone = new LRUCache<string, true>({ max: MAX_GONE, ttl: GONE_MS });
  #complete: ReadonlySet<string> | undefined;
  /** When it was last found that a participant who was left behind had joined again, without being announced here. */
  #returnedAt = Number.NEGATIVE_INFINITY;

  constructor(deps: ElsewhereDeps) {
    this.#deps = deps;
  }

  get isComplete(): boolean {
    const present = this.#present();
    const before = this.#complete;
    if (!present || !before || this.#missing.size > 0) return false;
    return present.size === before.size && [...present].every((identity) => before.has(identity));
  }

  /**
   * Notes that this recorder joined, perhaps another room than before. Returns the participants that were seen before and
   * are not in this room.
   */
  joined(): readonly Elsewhere[] {
    this.#complete = undefined;
    const present = this.#present();
    const missedAt = this.#deps.clock.now();
    for (const { participant, joinedAt } of this.#lastSeen) {
      const { identity, sid } = participant;
      this.#missing.set(identity, { identity, sid, joinedAt, isLeftBehind: true, missedAt });
    }
    for (const identity of present ?? []) this.#missing.delete(identity);
    return [...this.#missing.values()].filter((one) => one.isLeftBehind && !this.#isGone(one));
  }

  /**
   * Notes participants that other recorders saw, because the server may send a new recorder to another room. The list
   * begins with the newest stay; of each participant the newest counts.
   */
  recall(participants: readonly Pick<Missing, 'identity' | 'sid'>[]): void {
    const missedAt = this.#deps.clock.now();
    for (const { identity, sid } of participants.toReversed()) {
      this.#missing.set(identity, { identity, sid, joinedAt: null, isLeftBehind: true, missedAt });
    }
  }

  see(): void {
    this.#lastSeen = this.#deps.roster() ?? this.#lastSeen;
  }

  /**
   * Returns the participants that are in another room; undefined while that is unknown, because participants that join
   * again may join this room or another.
   */
  async check(): Promise<readonly Elsewhere[] | undefined> {
    const { sessionId, rooms, clock, absentMs } = this.#deps;
    this.#complete = undefined;
    if (!this.#present()) return undefined;
    // Looked up before the list is read: whoever joins again meanwhile is listed with another SID.
    const leftBehind = await this.#lookUp([...this.#missing.values()].filter(isLeftBehind));
    const listed = (await rooms.listParticipants(sessionId)).filter(isVisible);
    const present = this.#present();
    if (!present) return undefined;
    this.see();
    const now = clock.now();
    const missing = this.#findMissing(listed, present, now);
    this.#missing = missing;
    if (listed.every(({ identity }) => present.has(identity))) this.#complete = present;
    const due = [...missing.values()].filter(
      (one) => !one.isLeftBehind && now - one.missedAt >= absentMs,
    );
    const found = [
      ...leftBehind.filter((one) => missing.get(one.identity) === one),
      ...(await this.#lookUp(due)),
    ];
    const elsewhere = found.filter(({ identity }) => !this.#present()?.has(identity));
    return elsewhere.length === 0 && this.#isUndecided(now) ? undefined : elsewhere;
  }

  #findMissing(
    listed: readonly ListedParticipant[],
    present: ReadonlySet<string>,
    now: number,
  ): Map<string, Missing> {
    const missing = new Map([...this.#missing].filter(([, one]) => isLeftBehind(one)));
    for (const { identity, joinedAt, state, sid } of listed) {
      const before = this.#missing.get(identity);
      if (before?.isLeftBehind) {
        if (before.sid === sid) continue;
        if (!present.has(identity)) this.#returnedAt = now;
      }
      missing.delete(identity);
      if (state !== 'active') continue;
      const isSameStay = before?.isLeftBehind === false && before.joinedAt === joinedAt;
      const found = { identity, sid, joinedAt, isLeftBehind: false, missedAt: now };
      missing.set(identity, isSameStay ? before : found);
    }
    for (const identity of present) missing.delete(identity);
    return missing;
  }

  /**
   * Returns whether a participant that joined again may still appear here: it has `absentMs` for that, and after
   * another `absentMs` it counts as elsewhere.
   */
  #isUndecided(now: number): boolean {
    return !this.#complete && now - this.#returnedAt < 2 * this.#deps.absentMs;
  }

  async #lookUp(missing: readonly Missing[]): Promise<readonly Missing[]> {
    const asked = missing.filter((one) => !this.#isGone(one));
    const areThere = await Promise.all(asked.map((one) => this.#isThere(one)));
    return asked.filter((_, index) => areThere[index]);
  }

  async #isThere(one: Missing): Promise<boolean> {
    const isThere = await this.#deps.rooms.hasParticipant(this.#deps.sessionId, one.identity);
    if (isThere) return true;
    this.#gone.set(keyOf(one), true);
    return false;
  }

  #isGone(one: Elsewhere): boolean {
    return this.#gone.has(keyOf(one));
  }

  #present(): ReadonlySet<string> | undefined {
    const roster = this.#deps.roster();
    return roster && new Set(roster.map(({ participant }) => participant.identity));
  }
}

function isLeftBehind(one: Elsewhere): boolean {
  return one.isLeftBehind;
}

function isVisible(participant: ListedParticipant): boolean {
  return !participant.isHidden && !isRecorder(participant);
}

function keyOf({ identity, joinedAt }: Elsewhere): string {
  return `${joinedAt} ${identity}`;
}
