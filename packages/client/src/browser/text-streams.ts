import {
  CHAT_TOPIC,
  SEGMENT_ATTRIBUTE,
  type TextStreamEvent,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import type { Room, TextStreamReader } from 'livekit-client';
import type { RoomEvents } from '../conversation/room.ts';
import type { FrameCalls } from './frame-calls.ts';
import { participantOf, type Sdk } from './livekit.ts';

type Kinds = Pick<Sdk, 'ParticipantKind'>;
type Participants = Pick<Room, 'getParticipantByIdentity'>;
type Listener = Pick<RoomEvents, 'event' | 'partial'>;
type Frames = Pick<FrameCalls, 'call' | 'cancel'>;

interface Reader extends AsyncIterable<string> {
  readonly info: Pick<TextStreamReader['info'], 'id' | 'topic' | 'timestamp' | 'attributes'>;
}

/**
 * Longer texts are cut to 64 KiB to be shown and stored. A stream is read until its text is longer than this, so that the text
 * is recognised as cut.
 */
const MAX_LENGTH = 65_536;

export class TextStreams {
  readonly #sdk: Kinds;
  readonly #room: Participants;
  readonly #listener: Listener;
  readonly #frames: Frames;

  constructor(sdk: Kinds, room: Participants, listener: Listener, frames: Frames) {
    this.#sdk = sdk;
    this.#room = room;
    this.#listener = listener;
    this.#frames = frames;
  }

  listen(room: Pick<Room, 'registerTextStreamHandler'>): void {
    for (const topic of [CHAT_TOPIC, TRANSCRIPTION_TOPIC]) {
      room.registerTextStreamHandler(topic, (reader, { identity }) => {
        void this.read(reader, identity);
      });
    }
  }

  /** Reports the text so far once a frame, and an event at the end. `readAll` would lose the text of a broken stream. */
  async read(reader: Reader, identity: string): Promise<void> {
    let text = '';
    let hasEnded = true;
    const { [SEGMENT_ATTRIBUTE]: segment } = reader.info.attributes ?? {};
    // A transcript keeps the segment id from the beginning of its stream, because listeners have already seen that id.
    const kept = segment === undefined ? {} : { [SEGMENT_ATTRIBUTE]: segment };
    const event = (textSoFar: string, isOver: boolean) => {
      const made = this.#event(reader, identity, textSoFar, isOver);
      return { ...made, attributes: { ...made.attributes, ...kept } };
    };
    try {
      for await (const part of reader) {
        if (text.length > MAX_LENGTH) continue;
        text += part;
        const textSoFar = text;
        this.#frames.call(reader, () => this.#listener.partial(event(textSoFar, false)));
      }
    } catch {
      // The connection was lost, or the sender left.
      hasEnded = false;
    }
    this.#frames.cancel(reader);
    this.#listener.event(event(text, hasEnded));
  }

  #event({ info }: Reader, identity: string, text: string, hasEnded: boolean): TextStreamEvent {
    const participant = this.#room.getParticipantByIdentity(identity);
    return {
      type: 'text_stream',
      topic: info.topic,
      streamId: info.id,
      // LiveKit's SDK adds the trailer's attributes when the stream ends.
      attributes: { ...info.attributes },
      text,
      hasEnded,
      sentAt: info.timestamp,
      sender: participant
        ? participantOf(this.#sdk, participant)
        : { identity, name: '', sid: null, kind: 'unknown' },
      receivedAt: Date.now(),
    };
  }
}
