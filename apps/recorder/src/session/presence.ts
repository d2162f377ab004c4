import type { PresenceEvent } from '@session/contract/room';
import { pause } from '@session/kit';

interface Stay {
  readonly joined: PresenceEvent;
  /** Set while it is uncertain whether they have left. */
  left?: { readonly event: PresenceEvent; readonly end: AbortController };
}

/**
 * Who is in a session's room, by the server's id of each stay. A connection that is made anew shows everybody leaving and
 * joining again: a leave without a reason, or seen while the connection is not sound, counts only when that stay is not
 * seen again within `falseLeaveMs`.
 */
export class Presence {
  readonly #falseLeaveMs: number;
  readonly #report: (event: PresenceEvent) => void;
  readonly #stays = new Map<string, Stay>();
  #isInterrupted = false;

  constructor(falseLeaveMs: number, report: (event: PresenceEvent) => void) {
    this.#falseLeaveMs = falseLeaveMs;
    this.#report = report;
  }

  /** Somebody is in the room: news or not. */
  join(event: PresenceEvent): void {
    const { sid } = event.participant;
    const stay = this.#stays.get(sid);
    stay?.left?.end.abort();
    if (!stay) this.#endEarlierStays(event);
    this.#stays.set(sid, { joined: stay?.joined ?? event });
    if (!stay) this.#report(event);
  }

  /** Somebody left, by an event of a connection that was sound or not. */
  leave(event: PresenceEvent, isSound: boolean): void {
    const { sid } = event.participant;
    const stay = this.#stays.get(sid);
    if (isSound && event.reason !== null) {
      stay?.left?.end.abort();
      this.#stays.delete(sid);
      this.#report(event);
    } else if (stay && !stay.left) this.#hold(sid, stay, event);
  }

  /** The room is not heard: nobody can be seen to be still there. What is uncertain stays so until `compare`. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const { left } of this.#stays.values()) left?.end.abort();
  }

  /** Compares with all who are in the room at `now` by a fresh connection: joins and leaves that nobody saw happened. */
  compare(roster: readonly PresenceEvent[], now: number): void {
    this.#isInterrupted = false;
    for (const event of roster) this.join(event);
    const present = new Set(roster.map(({ participant }) => participant.sid));
    for (const [sid, stay] of this.#stays) {
      if (present.has(sid)) continue;
      stay.left?.end.abort();
      const unseen = { type: 'participant_left', reason: null, receivedAt: now } as const;
      this.#hold(sid, stay, stay.left?.event ?? { ...stay.joined, ...unseen });
    }
  }

  /** Ends all waiting: what is uncertain is reported if the connection is sound, else forgotten. */
  settle(isSound: boolean): void {
    for (const [sid, { left }] of this.#stays) {
      if (!left) continue;
      left.end.abort();
      this.#stays.delete(sid);
      if (isSound) this.#report(left.event);
    }
  }

  /** An identity is in a room once: who comes anew has left before, as after a restart of the server. */
  #endEarlierStays({ participant: { identity }, receivedAt }: PresenceEvent): void {
    for (const [sid, { joined, left }] of this.#stays) {
      if (joined.participant.identity !== identity) continue;
      left?.end.abort();
      this.#stays.delete(sid);
      const unseen = { type: 'participant_left', reason: null, receivedAt } as const;
      this.#report(left?.event ?? { ...joined, ...unseen });
    }
  }

  #hold(sid: string, stay: Stay, event: PresenceEvent): void {
    stay.left = { event, end: new AbortController() };
    if (!this.#isInterrupted) void this.#confirm(sid, stay.left.end.signal);
  }

  async #confirm(sid: string, signal: AbortSignal): Promise<void> {
    if (!(await pause(this.#falseLeaveMs, signal))) return;
    const event = this.#stays.get(sid)?.left?.event;
    this.#stays.delete(sid);
    if (event) this.#report(event);
  }
}
