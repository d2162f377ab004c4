import type { PresenceEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import type { RoomEventReceiver } from '../message-path.ts';

interface Stay {
  readonly joined: PresenceEvent;
  left?: { readonly event: PresenceEvent; readonly end: AbortController };
}

/**
 * The participants in a room, by the server's id of each stay. A reconnect shows all of them leaving and joining again.
 * So a leave without a reason, or while the connection is down, counts only if the stay does not reappear within
 * `falseLeaveMs`.
 */
export class Presence {
  readonly #falseLeaveMs: number;
  readonly #receiver: RoomEventReceiver;
  readonly #stays = new Map<string, Stay>();
  #isInterrupted = false;

  constructor(falseLeaveMs: number, receiver: RoomEventReceiver) {
    this.#falseLeaveMs = falseLeaveMs;
    this.#receiver = receiver;
  }

  get uncertainSince(): number {
    return Math.min(
      ...Array.from(this.#stays.values(), ({ left }) => left?.event.receivedAt ?? Infinity),
    );
  }

  join(event: PresenceEvent): void {
    const { sid } = event.participant;
    const stay = this.#stays.get(sid);
    stay?.left?.end.abort();
    if (!stay) this.#endEarlierStays(event);
    this.#stays.set(sid, { joined: stay?.joined ?? event });
    if (!stay) this.#receiver.push(event);
  }

  leave(event: PresenceEvent, isConnected: boolean): void {
    const { sid } = event.participant;
    const stay = this.#stays.get(sid);
    if (isConnected && event.reason !== null) {
      stay?.left?.end.abort();
      this.#stays.delete(sid);
      this.#receiver.push(event);
    } else if (stay && !stay.left) this.#hold(sid, stay, event);
  }

  /** Makes uncertain leaves wait for `reconcile`, because no stay can reappear meanwhile. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const { left } of this.#stays.values()) left?.end.abort();
  }

  reconcile(roster: readonly PresenceEvent[], now: number): void {
    this.#isInterrupted = false;
    for (const event of roster) this.join(event);
    const present = new Set(roster.map(({ participant }) => participant.sid));
    for (const [sid, stay] of this.#stays) {
      if (present.has(sid)) continue;
      stay.left?.end.abort();
      this.#hold(sid, stay, stay.left?.event ?? missedLeave(stay, now));
    }
  }

  decideLeaves(isConnected: boolean): void {
    for (const [sid, { left }] of this.#stays) {
      if (!left) continue;
      left.end.abort();
      this.#stays.delete(sid);
      if (isConnected) this.#receiver.push(left.event);
    }
  }

  /**
   * Ends the earlier stays of a participant who joins again: an identity is in a room only once, so the earlier stay is
   * over, for example after a restart of the server.
   */
  #endEarlierStays({ participant: { identity }, receivedAt }: PresenceEvent): void {
    for (const [sid, stay] of this.#stays) {
      if (stay.joined.participant.identity !== identity) continue;
      stay.left?.end.abort();
      this.#stays.delete(sid);
      this.#receiver.push(stay.left?.event ?? missedLeave(stay, receivedAt));
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
    if (event) this.#receiver.push(event);
  }
}

function missedLeave({ joined }: Stay, receivedAt: number): PresenceEvent {
  return { ...joined, type: 'participant_left', reason: null, receivedAt };
}
