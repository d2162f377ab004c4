import {
  isRecorder,
  type Participant,
  type PresenceEvent,
  type RoomEvent,
  type TextStreamEvent,
} from '@session/contract/room';
import { pause, withDeadline } from '@session/kit';
import type { ListedParticipant } from '@session/media';

const RETRY_MS = 100;

interface LookupDeps {
  /** Asks the server who is in the room. May throw. */
  readonly listParticipants: () => Promise<readonly ListedParticipant[]>;
  /** How long a server that does not answer is asked again. */
  readonly senderMs: number;
}

/** An event without a sender: a packet, or LiveKit's chat message. */
type Unsigned = Exclude<RoomEvent, PresenceEvent | TextStreamEvent>;

/**
 * Finds out who sent what came before its sender was announced: up to 3 s pass until the server tells a room of a
 * participant without tracks, but its list has them at once.
 */
export class SenderLookup {
  readonly #deps: LookupDeps;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<readonly ListedParticipant[]> | undefined;

  constructor(deps: LookupDeps) {
    this.#deps = deps;
  }

  /**
   * Completes an event whose sender is none of those `announced` when it came. The only other one in the room sent it; if
   * there is none a server did. Of several nobody can say which: it stays without a sender, rather than with a wrong one.
   * Gives the event after the joins of all who may have sent it, and never rejects.
   */
  async complete(
    event: Unsigned,
    announced: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<RoomEvent[]> {
    const listed = await this.#list(signal);
    const candidates = listed.filter(
      ({ identity, isHidden }) =>
        !announced.has(identity) && !isHidden && !isRecorder({ identity }),
    );
    const joins = candidates.map((one) => joinOf(one, event.receivedAt));
    const [first] = joins;
    const sender = first && joins.length === 1 ? first.participant : null;
    return [...joins, { ...event, sender }];
  }

  /** Completes a text stream, which names its sender by identity alone. As `complete` in all else. */
  async completeText(event: TextStreamEvent, signal: AbortSignal): Promise<RoomEvent[]> {
    const listed = await this.#list(signal);
    const found = listed.find(({ identity }) => identity === event.sender.identity);
    if (!found) return [event];
    const join = joinOf(found, event.receivedAt);
    return [join, { ...event, sender: join.participant }];
  }

  /** Asks until there is an answer, and gives nobody when there is none in time. */
  async #list(signal: AbortSignal): Promise<readonly ListedParticipant[]> {
    const deadline = performance.now() + this.#deps.senderMs;
    for (;;) {
      const leftMs = Math.max(0, deadline - performance.now());
      try {
        return await withDeadline(this.#listOnce(), leftMs);
      } catch {
        if (leftMs <= RETRY_MS || !(await pause(RETRY_MS, signal))) return [];
      }
    }
  }

  /** One question at a time. Who comes while one is asked shares the next: the answer must be younger than the event. */
  #listOnce(): Promise<readonly ListedParticipant[]> {
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        const answer = this.#deps.listParticipants();
        this.#running = answer;
        this.#next = undefined;
        return answer;
      });
    return this.#next;
  }
}

function joinOf(
  { identity, name, sid, kind, joinedAt }: ListedParticipant,
  receivedAt: number,
): PresenceEvent & { readonly participant: Participant } {
  const participant = { identity, name, sid, kind };
  return { type: 'participant_joined', participant, joinedAt, reason: null, receivedAt };
}
