import {
  DisconnectReason,
  type LocalParticipant,
  type Room,
  RoomEvent as SdkEvent,
} from '@livekit/rtc-node';
import type { Participant } from '@session/contract/room';
import { AppError, pause, withDeadline } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { participantOf } from './listen-to-room.ts';
import { mediaError } from './media-error.ts';
import { releaseRoom } from './release-room.ts';
import { untilSent } from './send-buffer.ts';
import { TextWriter } from './text-writer.ts';

const MAX_PACKET_BYTES = 63_000;
const PATIENCE_MS = 5000;
const LINGER_MS = 200;

type TextAttributes = Readonly<Record<string, string>>;

/**
 * A room that we are in. A send that resolves is no delivery: what is said while the connection or the server is gone is
 * lost without a word, also for a moment after it is back; who must know looks for the message's id in the history.
 */
export class JoinedRoom implements AsyncDisposable {
  readonly #room: Room;
  readonly #leaving = new AbortController();
  readonly #closed = Promise.withResolvers<string>();
  readonly #unfinished = new Set<Promise<unknown>>();
  #hasSent = false;
  #left: Promise<void> | undefined;

  constructor(room: Room) {
    this.#room = room;
    room.once(SdkEvent.Disconnected, (reason) => this.#closed.resolve(DisconnectReason[reason]));
  }

  /** What we are called in the room. */
  get identity(): string {
    return this.#room.localParticipant?.identity ?? '';
  }

  /** The others in the room, as far as the server has announced them. */
  get participants(): (Participant & { readonly sid: string })[] {
    return Array.from(this.#room.remoteParticipants.values(), participantOf);
  }

  /** Resolves when we are out of the room for good, with the reason in LiveKit's words. */
  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  /** Aborts when `leave` has sent everything, and the connection is about to go. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Sends what a person types, and gives the message's id: the one that the history will have. */
  async say(text: string): Promise<string> {
    return await this.sendPacket({ type: 'user_text', data: text });
  }

  /**
   * Sends a JSON packet to all in the room, reliably, and gives its id: a UUIDv7 if it has none. Throws a RangeError for
   * one of more than 63,000 bytes, and `media_unavailable` when we are out of the room.
   */
  async sendPacket(packet: {
    readonly id?: string;
    readonly [field: string]: unknown;
  }): Promise<string> {
    const { id = uuidv7() } = packet;
    const data = new TextEncoder().encode(JSON.stringify({ ...packet, id }));
    if (data.byteLength > MAX_PACKET_BYTES) {
      throw new RangeError(`a packet holds ${MAX_PACKET_BYTES} bytes, not ${data.byteLength}`);
    }
    await this.#send((self) => self.publishData(data, { reliable: true }));
    return id;
  }

  /** Sends a whole text as a stream, and gives the stream's id. */
  async sendText(topic: string, text: string, attributes: TextAttributes = {}): Promise<string> {
    const { streamId } = await this.#send((self) => self.sendText(text, { topic, attributes }));
    return streamId;
  }

  /** Opens a text that is sent bit by bit. `leave` waits up to 5 s for its end. */
  async openText(topic: string, attributes: TextAttributes = {}): Promise<TextWriter> {
    const stream = await this.#send((self) => self.streamText({ topic, attributes }));
    const writer = new TextWriter(stream);
    void this.#finish(writer.ended);
    return writer;
  }

  /** Leaves when all that was sent is on its way: open texts have ended, and the send buffer is empty for 200 ms. */
  async leave(): Promise<void> {
    this.#left ??= this.#leave();
    await this.#left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  async #send<T>(work: (self: LocalParticipant) => Promise<T>): Promise<T> {
    const self = this.#room.localParticipant;
    if (this.#left || !self) throw new AppError('media_unavailable', 'we have left the room');
    this.#hasSent = true;
    try {
      return await this.#finish(work(self));
    } catch (error) {
      throw mediaError('cannot send', error);
    }
  }

  /** Makes `leave` wait for `work`. */
  #finish<T>(work: Promise<T>): Promise<T> {
    this.#unfinished.add(work);
    const forget = () => this.#unfinished.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #leave(): Promise<void> {
    const flushed = withDeadline(this.#flush(), PATIENCE_MS);
    // A connection that is gone takes nothing any more, and what is not sent by the deadline stays unsent.
    await Promise.race([flushed, this.closed]).catch(() => {});
    this.#leaving.abort();
    await releaseRoom(this.#room);
    this.#closed.resolve('CLIENT_INITIATED');
  }

  async #flush(): Promise<void> {
    if (!this.#hasSent) return;
    await Promise.allSettled(this.#unfinished);
    await untilSent(this.#room);
    await pause(LINGER_MS, this.#leaving.signal);
  }
}
