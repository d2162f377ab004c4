import {
  type AudioFrame,
  AudioStream,
  type RemoteParticipant,
  type Track,
} from '@livekit/rtc-node';
import { isAgent, type Participant } from '@session/contract/room';
import { participantOf } from './sdk-participant.ts';

/** The length of each frame that a microphone yields. */
export const MICROPHONE_FRAME_MS = 20;
/** The attribute that agents of LiveKit's framework set, also where their token does not say that they are agents. */
const AGENT_STATE_ATTRIBUTE = 'lk.agent.state';

/** The microphone of another participant, as we receive it. */
export class Microphone implements AsyncIterable<Int16Array<ArrayBuffer>> {
  readonly #sender: RemoteParticipant;
  readonly #frames: ReadableStreamDefaultReader<AudioFrame>;

  constructor(track: Track, sender: RemoteParticipant, sampleRate: number) {
    this.#sender = sender;
    this.#frames = new AudioStream(track, {
      sampleRate,
      numChannels: 1,
      frameSizeMs: MICROPHONE_FRAME_MS,
    }).getReader();
  }

  get participant(): Participant {
    return participantOf(this.#sender);
  }

  /** Whether its sender is an agent, as far as is known now: a participant may turn out to be one. */
  get isOfAgent(): boolean {
    return isAudioOfAgent(this.#sender);
  }

  /**
   * Yields what is received: frames of `MICROPHONE_FRAME_MS`, 16 bits, one channel. Ends when the microphone is gone or the reader stops. While a
   * microphone is muted, it yields nothing or silence.
   */
  async *[Symbol.asyncIterator](): AsyncIterator<Int16Array<ArrayBuffer>> {
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

  /** Stops receiving, and ends the iteration. */
  async close(): Promise<void> {
    await this.#frames.cancel();
  }
}

/** Whether a participant is an agent, by all that the room knows of it. */
export function isAudioOfAgent(sender: RemoteParticipant): boolean {
  return isAgent(participantOf(sender)) || AGENT_STATE_ATTRIBUTE in sender.attributes;
}
