import {
  ConnectionState,
  type Room,
  type Participant as SdkParticipant,
  type TextStreamReader,
} from '@livekit/rtc-node';
import { SEGMENT_ATTRIBUTE, type TextStreamEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import { agentsIn, participantOf } from '../sdk-participant.ts';
import { watchTrailer } from './text-trailer.ts';

/** How long after the end of a stream the SDK may still report that the connection was lost. */
const LATE_LOSS_MS = 100;

/** The room of a text stream, and when we begin to leave that room: a stream that ends after that was cut off. */
export interface TextRoom {
  readonly room: Room;
  readonly leaving: AbortSignal;
  /** Returns when something is received, in milliseconds since the epoch. */
  readonly now: () => number;
}

/** Whether the SDK takes the room for connected. */
export function isConnected(room: Room): boolean {
  return room.connectionState === ConnectionState.CONN_CONNECTED;
}

/** A text stream that is being received. */
export class OpenText {
  readonly identity: string;
  /** When it began, in milliseconds since the epoch. */
  readonly beganAt: number;
  readonly #in: TextRoom;
  readonly #reader: TextStreamReader;
  readonly #senderAtStart: SdkParticipant | undefined;
  readonly #transcribers: readonly string[] | undefined;
  readonly #unwatchTrailer: () => void;
  readonly #givenUp = Promise.withResolvers<false>();
  #attributes: Readonly<Record<string, string>>;
  #text = '';
  #sizeBytes = 0;
  #unsavedSince: number | undefined;
  #isGivenUp = false;
  /** When it was over, in milliseconds since the epoch. Undefined: it is open. */
  #endedAt: number | undefined;
  #seemsWhole = false;

  /** Must be called by the stream's handler before the handler waits for anything. */
  constructor(
    room: TextRoom,
    reader: TextStreamReader,
    { identity, isGenerated }: { readonly identity: string; readonly isGenerated: boolean },
  ) {
    this.identity = identity;
    this.#in = room;
    this.#transcribers = isGenerated ? agentsIn(room.room) : undefined;
    this.#reader = reader;
    this.beganAt = room.now();
    this.#senderAtStart = this.#findSender();
    const { attributes = {} } = reader.info;
    this.#attributes = attributes;
    this.#unwatchTrailer = watchTrailer(room.room, (final) => {
      const { [SEGMENT_ATTRIBUTE]: segment } = attributes;
      // The id of a transcript that others have seen does not change at its end. When the end arrives together with the
      // beginning, the SDK's native half has merged the attributes already.
      const kept = segment === undefined ? {} : { [SEGMENT_ATTRIBUTE]: segment };
      this.#attributes = { ...attributes, ...final, ...kept };
    });
  }

  get streamId(): string {
    return this.#reader.info.streamId;
  }

  get topic(): string {
    return this.#reader.info.topic;
  }

  /** The size of the text so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /**
   * Milliseconds since the epoch: when the oldest word was received that `saveSoFar` has not returned. Undefined: there is
   * no such word.
   */
  get unsavedSince(): number | undefined {
    return this.#unsavedSince;
  }

  /** Whether the sender has been announced to the room. */
  get isSenderKnown(): boolean {
    return (this.#findSender() ?? this.#senderAtStart) !== undefined;
  }

  /** Returns what would be reported if the stream broke now. */
  saveSoFar(): TextStreamEvent {
    this.#unsavedSince = undefined;
    return this.#event(false);
  }

  /**
   * Ends `read` as if the stream had broken: now, or with the first words if none has come yet. The words that come after
   * that are read, and dropped.
   */
  giveUp(): void {
    this.#isGivenUp = true;
    if (this.#text !== '') this.#givenUp.resolve(false);
  }

  /**
   * Reads the stream until it is over, however it ends. Returns when that was, in milliseconds since the epoch. `grown` is
   * called with each part of the text.
   */
  async read(grown: () => void): Promise<number> {
    this.#seemsWhole = await Promise.race([this.#readAll(grown), this.#givenUp.promise]);
    this.#endedAt = this.#in.now();
    return this.#endedAt;
  }

  /** Returns the text, once it is known whether it is whole. Call `read` before. */
  async judge(): Promise<TextStreamEvent> {
    const { room, leaving } = this.#in;
    // A stream of unknown length seems to end normally even when the connection is lost, or when we leave.
    if (this.#seemsWhole && this.#sizeBytes !== this.#reader.info.totalSize) {
      const hasWaited = await pause(LATE_LOSS_MS, leaving);
      this.#seemsWhole = hasWaited && isConnected(room);
    }
    return this.#event(this.#seemsWhole);
  }

  async #readAll(grown: () => void): Promise<boolean> {
    try {
      for await (const part of this.#reader) {
        if (this.#isGivenUp && this.#text !== '') continue;
        this.#text += part;
        this.#sizeBytes += Buffer.byteLength(part);
        this.#unsavedSince ??= this.#in.now();
        if (this.#isGivenUp) this.#givenUp.resolve(false);
        grown();
      }
      return true;
    } catch {
      return false;
    } finally {
      this.#unwatchTrailer();
    }
  }

  #event(hasEnded: boolean): TextStreamEvent {
    const { topic, streamId, timestamp: sentAt } = this.#reader.info;
    // The sender may have been announced only now, or may have left already.
    const participant = this.#findSender() ?? this.#senderAtStart;
    const unannounced = { identity: this.identity, name: '', sid: null, kind: 'unknown' };
    return {
      type: 'text_stream',
      topic,
      streamId,
      beganAt: this.beganAt,
      attributes: this.#attributes,
      text: this.#text,
      hasEnded,
      sentAt,
      sender: participant ? participantOf(participant) : unannounced,
      ...(this.#transcribers && { transcribers: this.#transcribers }),
      receivedAt: this.#endedAt ?? this.#in.now(),
    };
  }

  #findSender(): SdkParticipant | undefined {
    const { remoteParticipants, localParticipant } = this.#in.room;
    // An agent sends what we said in our name.
    const self = localParticipant?.identity === this.identity ? localParticipant : undefined;
    return remoteParticipants.get(this.identity) ?? self;
  }
}
