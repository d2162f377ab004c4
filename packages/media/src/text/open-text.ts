import {
  ConnectionState,
  type Room,
  type Participant as SdkParticipant,
  type TextStreamReader,
} from '@livekit/rtc-node';
import { SEGMENT_ATTRIBUTE, type TextStreamEvent } from '@session/contract/room';
import { pause } from '@session/kit';
import { agentsIn, participantOf } from '../sdk-participant.ts';
import type { Opening } from './text-header.ts';
import type { TextTrailers } from './text-trailer.ts';

const LATE_LOSS_MS = 100;

export interface TextRoom {
  readonly room: Room;
  readonly trailers: TextTrailers;
  readonly leaving: AbortSignal;
  readonly now: () => number;
}

export function isConnected(room: Room): boolean {
  return room.connectionState === ConnectionState.CONN_CONNECTED;
}

export class OpenText {
  readonly identity: string;
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
  #isClosed = false;
  #endedAt: number | undefined;
  #seemsWhole = false;

  /** Must be called in the stream's handler, before the handler awaits anything. */
  constructor(
    room: TextRoom,
    reader: TextStreamReader,
    { identity, isGenerated, readerHandle }: Opening & { readonly identity: string },
  ) {
    this.identity = identity;
    this.#in = room;
    this.#transcribers = isGenerated ? agentsIn(room.room) : undefined;
    this.#reader = reader;
    this.beganAt = room.now();
    this.#senderAtStart = this.#findSender();
    const { attributes = {} } = reader.info;
    this.#attributes = attributes;
    this.#unwatchTrailer = room.trailers.watch(readerHandle, (final) => {
      const { [SEGMENT_ATTRIBUTE]: segment } = attributes;
      // A transcript's id that others have seen does not change at its end. When the end arrives together with the
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

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  get unsavedSince(): number | undefined {
    return this.#unsavedSince;
  }

  get isSenderKnown(): boolean {
    return (this.#findSender() ?? this.#senderAtStart) !== undefined;
  }

  saveSoFar(): TextStreamEvent {
    this.#unsavedSince = undefined;
    return this.#event(false);
  }

  /** Ends `read` as if the stream had broken: now, or with the first words. Later words are dropped. */
  giveUp(): void {
    this.#isGivenUp = true;
    if (this.#text !== '') this.close();
  }

  /** Ends `read` at once as if the stream had broken, even without words, and frees what the SDK keeps for it. */
  close(): void {
    this.#isClosed = true;
    // Comes first, because a closed reader ends like a whole text.
    this.#givenUp.resolve(false);
    this.#unwatchTrailer();
    void this.#reader.close();
  }

  async read(grown: () => void): Promise<number> {
    this.#seemsWhole = await Promise.race([this.#readAll(grown), this.#givenUp.promise]);
    this.#endedAt = this.#in.now();
    return this.#endedAt;
  }

  async judge(): Promise<TextStreamEvent> {
    const { room, leaving } = this.#in;
    // A stream of unknown length seems to end normally even if the connection is lost, or we leave.
    if (this.#seemsWhole && this.#sizeBytes !== this.#reader.info.totalSize) {
      const hasWaited = await pause(LATE_LOSS_MS, leaving);
      this.#seemsWhole = hasWaited && isConnected(room);
    }
    return this.#event(this.#seemsWhole);
  }

  async #readAll(grown: () => void): Promise<boolean> {
    try {
      for await (const part of this.#reader) {
        if (!this.#isClosed) this.#add(part, grown);
        // Drops what the reader still had when it was closed.
        if (this.#isClosed) break;
      }
      return true;
    } catch {
      return false;
    } finally {
      this.#unwatchTrailer();
    }
  }

  #add(part: string, grown: () => void): void {
    this.#text += part;
    this.#sizeBytes += Buffer.byteLength(part);
    this.#unsavedSince ??= this.#in.now();
    if (this.#isGivenUp) this.close();
    else grown();
  }

  #event(hasEnded: boolean): TextStreamEvent {
    const { topic, streamId, timestamp: sentAt } = this.#reader.info;
    // The sender may only now have been announced, or may have left already.
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
    // An agent sends our words in our name.
    const self = localParticipant?.identity === this.identity ? localParticipant : undefined;
    return remoteParticipants.get(this.identity) ?? self;
  }
}
