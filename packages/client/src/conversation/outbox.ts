import { type Participant, uuidV7 } from '@session/contract/room';
import { isApiError, isRefusal } from '../http/api-error.ts';
import { isUnreachable } from '../http/outage.ts';
import { pause, unlessAborted } from '../http/pause.ts';
import type { Mark, OwnMessage, TimelineItem } from '../timeline/entry.ts';
import type { ConversationMode } from './conversation-state.ts';
import type { ConversationParts } from './parts.ts';
import type { ConnectedRoom } from './room.ts';

const MAX_CONTENT_BYTES = 32_000;
/** The limit of `POST …/messages`. The room accepts larger packets, but this client could not send them through the API. */
const MAX_JSON_BYTES = 62_000;

interface Numbered {
  readonly seq: { readonly q: string; readonly n: number };
}

interface Delivery extends OwnMessage {
  /** The mode in which the message was said. An operator may have handed the conversation back since. */
  readonly mode: ConversationMode;
  /** Whether a room has taken the message, even one whose connection was dead. */
  isTaken?: boolean;
  /** Resolves when the room refuses the message, when the room is lost, or when the message is stored. */
  refusal?: Promise<void>;
}

/**
 * Sends our own messages. A dead room accepts packets for seconds, so a message that does not soon appear in the history is
 * also sent through the API, under the same id. Call `sendAll` when a room is joined. Otherwise later messages would overtake
 * those that the API has not accepted yet.
 */
export class Outbox {
  readonly #parts: ConversationParts;
  readonly #room: () => ConnectedRoom | undefined;
  readonly #unsettled = new Map<Delivery, Promise<void>>();
  readonly #sequence = uuidV7().slice(-12);
  #last = 0;
  readonly #numbers = new Map<string, Numbered>();
  #posting: Promise<unknown> = Promise.resolve();
  /** Rejects if the API took too long while the conversation was closing. */
  #turn: Promise<unknown> = Promise.resolve();
  #isLost = false;

  constructor(parts: ConversationParts, room: () => ConnectedRoom | undefined) {
    this.#parts = parts;
    this.#room = room;
  }

  say(content: string, participant: Participant, mode: ConversationMode): string {
    const id = uuidV7();
    checkSize(content);
    if (this.#room()) this.#numbers.set(id, { seq: { q: this.#sequence, n: ++this.#last } });
    this.#start({ id, content, participant, mode });
    return id;
  }

  sayAgain(id: string): boolean {
    const item = this.#find(id);
    if (!item || item.timestamp !== null || !item.participant) return false;
    if (item.state !== 'failed' && item.state !== 'unrecorded') return false;
    const { mode } = this.#parts.state.current;
    this.#start({ id, content: item.content, participant: item.participant, mode });
    return true;
  }

  /**
   * Sends all unstored messages in the order in which they were said, because a room that is back may have been dead when it
   * accepted some of them.
   */
  sendAll(): void {
    for (const delivery of this.#unsettled.keys()) {
      if (!(this.#isStored(delivery.id) || this.#isAway(delivery))) this.#send(delivery);
    }
  }

  async settled(): Promise<void> {
    await Promise.all(this.#unsettled.values());
  }

  #start(delivery: Delivery): void {
    this.#parts.timeline.say(delivery);
    const done = this.#deliver(delivery);
    this.#unsettled.set(delivery, done);
    void done.finally(() => this.#unsettled.delete(delivery));
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { id } = delivery;
    const { state, timing, signal } = this.#parts;
    const isStored = this.#isStoredWithin(id, timing.verdictMs);
    let isOver: unknown;
    do {
      if (this.#isAway(delivery)) {
        const back = state.until(() => !this.#isAway(delivery));
        isOver = await Promise.race([back, isStored.then(() => true)]);
      } else this.#send(delivery);
      const isFound = this.#isStoredWithin(id, timing.resendMs);
      if (await Promise.race([isStored, isFound, delivery.refusal])) return;
      // Repeats if the operator's room is lost now, because it may have been dead when it took the message.
    } while (this.#isAway(delivery) && state.current.isOpen && !isOver);
    if (!this.#isAway(delivery)) {
      // One at a time, so that messages said while the API was away are stored in the order in which they were said.
      const before = this.#posting;
      const turnBefore = this.#turn;
      const limited = () => unlessAborted(before, AbortSignal.timeout(timing.resendMs));
      const turn = unlessAborted(before, signal).catch(() => turnBefore.then(limited));
      const posting = turn.catch(() => {}).then(() => this.#isSettledByApi(delivery));
      this.#turn = turn;
      this.#posting = posting;
      if (await posting) return;
    }
    if ((await isStored) || (signal.aborted && delivery.isTaken)) return;
    this.#mark(id, await this.#verdict(id));
  }

  /**
   * Returns whether a message waits for an operator's room. If it were sent through the API, or in another mode, agents
   * would answer it.
   */
  #isAway({ mode }: Delivery): boolean {
    return mode === 'operator' && (this.#parts.state.current.mode !== mode || !this.#room());
  }

  #send(delivery: Delivery): void {
    delivery.refusal = this.#untilRefused(delivery);
  }

  async #untilRefused(delivery: Delivery): Promise<void> {
    const { id, content: data } = delivery;
    const room = this.#room();
    if (!room) return;
    const over = this.#parts.state.until(() => this.#isStored(id) || this.#room() !== room);
    const taken = (async () => {
      await room.send({ type: 'user_text', data, id, ...this.#numbers.get(id) });
      delivery.isTaken = true;
      await over;
    })();
    // A packet may hang on its way into a room that is lost. The API can send what the room refuses.
    await Promise.race([over, taken]).catch(() => {});
  }

  async #isSettledByApi(delivery: Delivery): Promise<boolean> {
    const { id, content } = delivery;
    const { alarm, state, timeline, signal } = this.#parts;
    let hasAsked = false;
    while (!(this.#isStored(id) || this.#isLost || this.#isAway(delivery))) {
      const answer = await this.#post(id, content).catch((failure: Error) => failure);
      if (!(answer instanceof Error)) {
        timeline.confirm(answer);
        return true;
      }
      if (isRefusal(answer)) return this.#mark(id, 'failed');
      const { isOpen, isOnline } = state.current;
      this.#isLost = signal.aborted && isUnreachable(answer);
      if (!isOpen || (isOnline && (hasAsked || !isUnreachable(answer)))) return false;
      if (isOnline) {
        // The history reader may not have noticed yet that the API is away.
        state.set({ isOnline: false });
        alarm.ring();
        hasAsked = true;
      }
      await state.until(() => state.current.isOnline);
    }
    return this.#isStored(id);
  }

  async #post(id: string, content: string) {
    const { api, sessionId } = this.#parts;
    // Without the signal, because closing a conversation must not lose a message.
    const post = () =>
      api.messages.say(
        sessionId,
        { id, content, ...this.#numbers.get(id) },
        { idempotencyKey: id },
      );
    return await post().catch((error) => {
      // During an upgrade, a process of the former release may answer. It does not accept numbers.
      if (isApiError(error, 'invalid_request') && this.#numbers.delete(id)) return post();
      throw error;
    });
  }

  /** Returns `unrecorded` for a message that the room probably received while no recorder was there, else `failed`. */
  async #verdict(id: string): Promise<Mark> {
    const { api, sessionId, signal } = this.#parts;
    if (this.#find(id)?.state === 'unconfirmed') return 'unrecorded';
    const session = await api.sessions.get(sessionId, { signal }).catch(() => undefined);
    // `reconnecting` may be one late heartbeat, and it is unknown whether the room received the message.
    const isRecorded = ['recording', 'reconnecting', undefined].includes(session?.recording.status);
    return isRecorded ? 'failed' : 'unrecorded';
  }

  #mark(id: string, mark: Mark): true {
    const item = this.#find(id);
    if (item) this.#parts.timeline.mark(item.key, mark);
    return true;
  }

  #find(id: string): TimelineItem | undefined {
    return this.#parts.timeline.getSnapshot().items.findLast((one) => one.id === id);
  }

  /** Returns true even for a message that has left the list, because it is stored further up in the history. */
  #isStored(id: string): boolean {
    return this.#find(id)?.timestamp !== null;
  }

  async #isStoredWithin(id: string, ms: number): Promise<boolean> {
    const { timeline, signal } = this.#parts;
    const found = new AbortController();
    const leave = timeline.subscribe(() => {
      if (this.#isStored(id)) found.abort();
    });
    if (!this.#isStored(id)) {
      await pause(ms, AbortSignal.any([signal, found.signal])).catch(() => {});
    }
    leave();
    return this.#isStored(id);
  }
}

function sizeBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function checkSize(content: string): void {
  const isTooLong =
    sizeBytes(content) > MAX_CONTENT_BYTES || sizeBytes(JSON.stringify(content)) > MAX_JSON_BYTES;
  if (!content || isTooLong) {
    throw new RangeError('a message has 1 to 32,000 bytes, at most 62,000 as JSON');
  }
}
