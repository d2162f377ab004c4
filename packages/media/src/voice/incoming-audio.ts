import { AudioStream, type RemoteParticipant, type Track } from '@livekit/rtc-node';
import { isAgent, type Participant } from '@session/contract/room';
import { participantOf } from '../sdk-participant.ts';

/** The sample rate of incoming audio: what voice activity detection and speech recognition work with. */
export const INCOMING_RATE = 16_000;
/** The length of each frame of incoming audio. */
export const INCOMING_FRAME_MS = 20;
/** The attribute that agents of LiveKit's framework set, also where their token does not say that they are agents. */
const AGENT_STATE_ATTRIBUTE = 'lk.agent.state';

/** The sound of one person's audio track. */
export class IncomingAudio {
  readonly trackSid: string;
  readonly #sender: RemoteParticipant;
  readonly #frames: ReadableStreamDefaultReader<{ readonly data: Int16Array }>;

  constructor(track: Track, trackSid: string, sender: RemoteParticipant) {
    this.trackSid = trackSid;
    this.#sender = sender;
    this.#frames = new AudioStream(track, {
      sampleRate: INCOMING_RATE,
      numChannels: 1,
      frameSizeMs: INCOMING_FRAME_MS,
    }).getReader();
  }

  get participant(): Participant {
    return participantOf(this.#sender);
  }

  /** Whether its sender has turned out to be an agent. */
  get isOfAgent(): boolean {
    return isAudioOfAgent(this.#sender);
  }

  /**
   * Mono, `INCOMING_RATE` samples a second, `INCOMING_FRAME_MS` each. Ends with the track, when its sender turns out to be an
   * agent, and when the room is left. To be read once.
   */
  get frames(): AsyncIterable<Int16Array<ArrayBuffer>> {
    return this.#read();
  }

  /** Ends the frames. */
  async close(): Promise<void> {
    await this.#frames.cancel();
  }

  async *#read(): AsyncGenerator<Int16Array<ArrayBuffer>> {
    try {
      for (;;) {
        const { done, value } = await this.#frames.read();
        if (done) return;
        yield value.data.slice();
      }
    } finally {
      await this.close();
    }
  }
}

/** Whether a participant is an agent, by all that the room knows of it. */
export function isAudioOfAgent(sender: RemoteParticipant): boolean {
  return isAgent(participantOf(sender)) || AGENT_STATE_ATTRIBUTE in sender.attributes;
}
