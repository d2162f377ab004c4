import type { RoomAgent } from '@session/agent-kit';
import type { ConversingAgent } from '@session/agent-kit/conversation';
import {
  FINAL_ATTRIBUTE,
  isAgent,
  type RoomEvent,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
} from '@session/contract/room';
import type { JoinedRoom } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import type { Ears } from './hearing/ears.ts';
import type { HeardWords } from './hearing/person-listener.ts';
import type { RoomVoice } from './speaking/room-voice.ts';

/** The audio track in which a person said something, as LiveKit's own agents name it. */
const TRACK_ATTRIBUTE = 'lk.transcribed_track_id';
/** Set by agents of ours that hear people and write what they say. */
const HEARING_ATTRIBUTE = 'session.hearing';

export interface CoreAgentParts {
  readonly conversing: ConversingAgent;
  /** Missing in an agent that hears nothing. */
  readonly ears: Ears | undefined;
  /** Missing in an agent that only writes. */
  readonly voice: RoomVoice | undefined;
  /** Disposed of at the end. */
  readonly owned: AsyncDisposable;
  readonly log: (line: string) => void;
}

/** Talks with the people in its room by voice and text. */
export class CoreAgent implements RoomAgent {
  readonly hearAudio: RoomAgent['hearAudio'];
  readonly #parts: CoreAgentParts;
  #room: JoinedRoom | undefined;

  constructor(parts: CoreAgentParts) {
    this.#parts = parts;
    const { ears } = parts;
    this.hearAudio = ears && ((audio) => ears.hear(audio));
  }

  get done(): Promise<void> {
    return this.#parts.conversing.done;
  }

  joined(room: JoinedRoom): void {
    const { voice, ears, conversing, log } = this.#parts;
    this.#room = room;
    voice?.use(room);
    if (ears) void markAsHearing(room, log);
    conversing.joined(room);
  }

  receive(event: RoomEvent): void {
    const { voice, conversing } = this.#parts;
    if (event.type === 'participant_joined') voice?.presenceChanged(false);
    // A leave without a reason may be false: the media client reports one for each participant when it reconnects.
    if (event.type === 'participant_left') voice?.presenceChanged(event.reason !== null);
    conversing.receive(event);
  }

  async finish(): Promise<void> {
    await this.#parts.conversing.finish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { conversing, voice, owned } = this.#parts;
    await conversing[Symbol.asyncDispose]();
    await voice?.close();
    await owned[Symbol.asyncDispose]();
  }

  /** A person said something: it goes into the room as theirs, and is answered. */
  async said({ participant, trackSid, text, ...times }: HeardWords): Promise<void> {
    const { conversing, log } = this.#parts;
    const attributes = {
      [SEGMENT_ATTRIBUTE]: uuidv7(),
      [FINAL_ATTRIBUTE]: 'true',
      [TRACK_ATTRIBUTE]: trackSid,
    };
    log(JSON.stringify({ heard: times }, rounded));
    const { name: speaker, identity } = participant;
    conversing.hear({ text, speaker, identity });
    if (!this.#writesTranscripts) return;
    try {
      await this.#room?.sendTextOf(identity, TRANSCRIPTION_TOPIC, text, attributes);
    } catch (error) {
      log(`cannot send what a person said: ${String(error)}`);
    }
  }

  /** Of several agents that hear, one writes what people say: the history has it once. */
  get #writesTranscripts(): boolean {
    const { identity: own = '', participants = [] } = this.#room ?? {};
    return !participants.some(
      (one) => isAgent(one) && one.identity < own && HEARING_ATTRIBUTE in one.attributes,
    );
  }
}

async function markAsHearing(room: JoinedRoom, log: (line: string) => void): Promise<void> {
  try {
    await room.setAttributes({ [HEARING_ATTRIBUTE]: 'true' });
  } catch (error) {
    log(`cannot set ${HEARING_ATTRIBUTE}: ${String(error)}`);
  }
}

/** Times have fractions, which a log does not need. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value) : value;
}
