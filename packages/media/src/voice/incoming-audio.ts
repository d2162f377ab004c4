import { AudioStream, type RemoteParticipant, type Track } from '@livekit/rtc-node';
import { isAgent, type Participant } from '@session/contract/room';
import { participantOf } from '../sdk-participant.ts';

export const INCOMING_RATE = 16_000;
export const INCOMING_FRAME_MS = 20;
const AGENT_STATE_ATTRIBUTE = 'lk.agent.state';

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

  get isOfAgent(): boolean {
    return isAudioOfAgent(this.#sender);
  }

  /**
   * Mono, `INCOMING_RATE` samples a second. Ends with the track, when its sender turns out to be an agent, and when we
   * leave. Can be read only once.
   */
  get frames(): AsyncIterable<Int16Array<ArrayBuffer>> {
    return this.#read();
  }

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

export function isAudioOfAgent(sender: RemoteParticipant): boolean {
  return isAgent(participantOf(sender)) || AGENT_STATE_ATTRIBUTE in sender.attributes;
}
