import {
  DisconnectReason,
  type LocalParticipant,
  type Room,
  RoomEvent as SdkEvent,
} from '@livekit/rtc-node';
import { MAX_PACKET_BYTES, type Participant, RESENT_TOPIC, uuidV7 } from '@session/contract/room';
import { AppError, withDeadline } from '@session/kit';
import { mediaError } from '../media-error.ts';
import { OwnAttributes } from '../own-attributes.ts';
import { participantOf } from '../sdk-participant.ts';
import { numberPacket, numberText } from '../text/number-message.ts';
import { isConnected } from '../text/open-text.ts';
import { untilSent } from '../text/send-buffer.ts';
import type { SentMessages } from '../text/sent-messages.ts';
import { openTextStream } from '../text/text-trailer.ts';
import { TextWriter } from '../text/text-writer.ts';
import { VoiceTrack } from '../voice/voice-track.ts';
import { releaseRoom } from './release-room.ts';

const LEAVE_TIMEOUT_MS = 5000;
const CLOSE_TIMEOUT_MS = 500;
/** After this time without a message, we report the number of the last one. */
const SILENCE_MS = 1000;

type Attributes = Readonly<Record<string, string>>;

interface PresentParticipant extends Participant {
  readonly sid: string;
  readonly attributes: Attributes;
}

/**
 * A room that we have joined. A resolved send is not a delivery: while the connection or the server is away, messages are
 * lost without an error. To be sure, look for their ids in the history.
 */
export class JoinedRoom implements AsyncDisposable {
  readonly #room: Room;
  readonly #attributes: OwnAttributes;
  readonly #sent: SentMessages | undefined;
  readonly #leaving = new AbortController();
  readonly #closed = Promise.withResolvers<string>();
  readonly #tracks = new AsyncDisposableStack();
  readonly #unfinished = new Set<Promise<unknown>>();
  #reconnect: PromiseWithResolvers<void> | undefined;
  #connections = 1;
  #hasSent = false;
  #silence: NodeJS.Timeout | undefined;
  #left: Promise<void> | undefined;

  constructor(room: Room, attributes = new OwnAttributes(room), sent?: SentMessages) {
    this.#room = room;
    this.#attributes = attributes;
    this.#sent = sent;
    room.once(SdkEvent.Disconnected, (reason) => this.#closed.resolve(DisconnectReason[reason]));
    room.on(SdkEvent.Reconnecting, () => {
      this.#reconnect ??= Promise.withResolvers();
    });
  }

  get identity(): string {
    return this.#room.localParticipant?.identity ?? '';
  }

  get name(): string {
    return this.#room.localParticipant?.name ?? '';
  }

  /**
   * The server's id of our stay. A new id means that the server removed us: we left and came back, and our open text
   * streams are broken.
   */
  get sid(): string {
    return this.#room.localParticipant?.sid ?? '';
  }

  /** The newest token of our stay. The server renews it, so it stays valid for minutes after we lose the connection. */
  get token(): string | undefined {
    return this.#room.token;
  }

  get participants(): PresentParticipant[] {
    return Array.from(this.#room.remoteParticipants.values(), (participant) => ({
      ...participantOf(participant),
      attributes: participant.attributes,
    }));
  }

  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Changes with each reconnect; undefined while we are out of the room, and receive nothing about it. */
  get connection(): number | undefined {
    return this.#reconnect || !isConnected(this.#room) ? undefined : this.#connections;
  }

  async untilConnected(): Promise<void> {
    if (!this.#reconnect) return;
    const reason = await Promise.race([this.#reconnect.promise, this.closed]);
    if (reason !== undefined)
      throw new AppError('media_unavailable', `the room was left: ${reason}`);
  }

  reconnected(): void {
    this.#connections += 1;
    this.#reconnect?.resolve();
    this.#reconnect = undefined;
  }

  async say(text: string): Promise<string> {
    return await this.sendPacket({ type: 'user_text', data: text });
  }

  /**
   * Sends a JSON packet reliably to all, and returns its id, by default a new UUIDv7. Throws a RangeError for more than
   * `MAX_PACKET_BYTES`, and `media_unavailable` when we are out of the room.
   */
  async sendPacket(packet: {
    readonly id?: string;
    readonly [field: string]: unknown;
  }): Promise<string> {
    const { id = uuidV7() } = packet;
    const named = { ...packet, id };
    const numbered = this.#sent && numberPacket(this.#sent, this.#self, named);
    const data = numbered ?? new TextEncoder().encode(JSON.stringify(named));
    if (data.byteLength > MAX_PACKET_BYTES) {
      throw new RangeError(
        `a packet has at most ${MAX_PACKET_BYTES} bytes, not ${data.byteLength}`,
      );
    }
    await this.#send((self) => self.publishData(data, { reliable: true }));
    return id;
  }

  async sendText(topic: string, text: string, attributes: Attributes = {}): Promise<string> {
    if (!this.#sent || text === '') {
      const sent = await this.#send((self) => self.sendText(text, { topic, attributes }));
      return sent.streamId;
    }
    const streamId = uuidV7();
    const numbered = numberText(this.#sent, this.#self, { topic, streamId, attributes });
    numbered.message?.write(text);
    numbered.message?.end();
    const options = { topic, streamId, attributes: numbered.attributes };
    await this.#send((self) => self.sendText(text, options));
    return streamId;
  }

  async openText(topic: string, attributes: Attributes = {}): Promise<TextWriter> {
    const named = { topic, attributes, streamId: uuidV7() };
    const numbered = this.#sent && numberText(this.#sent, this.#self, named);
    const options = numbered
      ? { ...named, attributes: numbered.attributes }
      : { topic, attributes };
    try {
      const opened = await this.#send((self) => openTextStream(self, options));
      const writer = new TextWriter({ ...opened, numbered: numbered?.message });
      void this.#awaitOnLeave(writer.ended);
      return writer;
    } catch (error) {
      numbered?.message?.end();
      throw error;
    }
  }

  /** Sends what a person said as a text stream in that person's name, and returns the stream's id. Only agents may do this. */
  async sendTextOf(
    identity: string,
    topic: string,
    text: string,
    attributes: Attributes = {},
  ): Promise<string> {
    const { streamId } = await this.#send((self) => {
      // The SDK's `sendText` has no parameter for the sender, and its `streamText` does not announce the length:
      // receivers would wait for a moment to see whether the text was cut off.
      const speaker: LocalParticipant = Object.create(self, { identity: { value: identity } });
      return speaker.sendText(text, { topic, attributes });
    });
    return streamId;
  }

  async sendAgain(payload: Uint8Array): Promise<void> {
    for (const { text, attributes } of this.#sent?.asked(payload) ?? []) {
      await this.#send((self) => self.sendText(text, { topic: RESENT_TOPIC, attributes }));
    }
  }

  async openVoice(rate: number): Promise<VoiceTrack> {
    return await this.#send(async (self) => {
      const track = await VoiceTrack.publish(this.#room, self, rate);
      if (!this.#tracks.disposed) return this.#tracks.use(track);
      await track.close();
      throw new Error('the participant has left the room');
    });
  }

  /**
   * Sets attributes, and sets them again after a reconnect; an empty value deletes one. Throws `media_unavailable` when we
   * are out of the room.
   */
  async setAttributes(attributes: Attributes): Promise<void> {
    await this.#send(() => this.#attributes.set(attributes));
  }

  /** Leaves once open text streams have ended and everything is sent, or after `LEAVE_TIMEOUT_MS`. */
  async leave(): Promise<void> {
    this.#left ??= this.#leave();
    await this.#left;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }

  get #self(): Participant {
    const self = this.#room.localParticipant;
    if (!self) throw new AppError('media_unavailable', 'the participant is not in the room');
    return participantOf(self);
  }

  async #send<T>(work: (self: LocalParticipant) => Promise<T>): Promise<T> {
    const self = this.#room.localParticipant;
    if (this.#left || !self)
      throw new AppError('media_unavailable', 'the participant has left the room');
    this.#hasSent = true;
    try {
      return await this.#awaitOnLeave(work(self));
    } catch (error) {
      throw mediaError('cannot send', error);
    }
  }

  #awaitOnLeave<T>(work: Promise<T>): Promise<T> {
    this.#unfinished.add(work);
    const finished = () => {
      this.#unfinished.delete(work);
      this.#awaitSilence();
    };
    work.then(finished, finished);
    return work;
  }

  #awaitSilence(): void {
    if (!this.#sent || this.#left) return;
    clearTimeout(this.#silence);
    // If this fails, we are out of the room, and our attributes are set again when we are back.
    this.#silence = setTimeout(() => void this.#tellLast().catch(() => {}), SILENCE_MS).unref();
  }

  async #tellLast(): Promise<void> {
    await this.#attributes.set(this.#sent?.lastAttribute ?? {});
  }

  async #leave(): Promise<void> {
    clearTimeout(this.#silence);
    const sent = withDeadline(
      this.#allSent().then(() => this.#tellLast()),
      LEAVE_TIMEOUT_MS,
    );
    // A lost connection accepts nothing, and what is not sent by the deadline stays unsent.
    await Promise.race([sent, this.closed]).catch(() => {});
    this.#leaving.abort();
    await withDeadline(this.#tracks.disposeAsync(), CLOSE_TIMEOUT_MS).catch(() => {});
    await releaseRoom(this.#room);
    this.#closed.resolve('CLIENT_INITIATED');
  }

  async #allSent(): Promise<void> {
    if (!this.#hasSent) return;
    await Promise.allSettled(this.#unfinished);
    await untilSent(this.#room);
  }
}
