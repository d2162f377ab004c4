import { INCOMING_FRAME_MS as FRAME_MS } from '@session/media/room';
import { levelOf, SpeechDetector } from './speech-detector.ts';

/** What a person said between two pauses: frames of 16 bits, one channel. */
export type UtteranceFrames = readonly Int16Array[];

/** A pause of this length ends an utterance. */
const PAUSE_MS = 800;
/** Of a longer utterance only the first part is kept. */
const MAX_UTTERANCE_MS = 30_000;
/** Speech shorter than this does not begin an utterance: it is a click. */
const CLICK_MS = 60;
/** An utterance holds so much of the sound before its first speech, which may be too quiet to be noticed. */
const LEAD_MS = 300;
/** An utterance keeps so much of the pause at its end. */
const TAIL_MS = 200;
/** An utterance with less sound that stands out from the background is no speech: it is a hum that began. */
const MIN_LOUD_MS = 100;

interface Frame {
  readonly samples: Int16Array;
  readonly levelDb: number;
}

/** Cuts the frames of a microphone into utterances. It holds one utterance at most. */
export class UtteranceRecorder {
  readonly #detector = new SpeechDetector(FRAME_MS);
  /** While nobody speaks, the last frames before now. */
  #frames: Frame[] = [];
  #isSpeaking = false;
  /** Whether the utterance was longer than what is kept of it. */
  #isCut = false;
  /** How long the last frames have been speech, or a pause. */
  #speechMs = 0;
  #pauseMs = 0;

  /** Takes the next frame. Returns the utterance that it ends. */
  push(samples: Int16Array): UtteranceFrames | undefined {
    const levelDb = levelOf(samples);
    const isSpeech = this.#detector.isSpeech(levelDb);
    this.#speechMs = isSpeech ? this.#speechMs + FRAME_MS : 0;
    this.#pauseMs = isSpeech ? 0 : this.#pauseMs + FRAME_MS;
    if (this.#isSpeaking) {
      if (this.#isFull) this.#isCut = true;
      else this.#frames.push({ samples, levelDb });
      return this.#pauseMs < PAUSE_MS ? undefined : this.end();
    }
    this.#frames.push({ samples, levelDb });
    this.#isSpeaking = this.#speechMs >= CLICK_MS;
    if (this.#frames.length * FRAME_MS > LEAD_MS) this.#frames.shift();
    return undefined;
  }

  /** Ends the utterance now, because nothing more is received. Returns it if there is one. */
  end(): UtteranceFrames | undefined {
    const frames = this.#isSpeaking ? this.#frames : [];
    const surplusMs = this.#isCut ? 0 : Math.max(0, this.#pauseMs - TAIL_MS);
    this.#frames = [];
    this.#isSpeaking = false;
    this.#isCut = false;
    const loud = frames.filter(({ levelDb }) => this.#detector.standsOut(levelDb));
    if (loud.length * FRAME_MS < MIN_LOUD_MS) return undefined;
    return frames.slice(0, frames.length - surplusMs / FRAME_MS).map(({ samples }) => samples);
  }

  get #isFull(): boolean {
    return this.#frames.length * FRAME_MS >= MAX_UTTERANCE_MS;
  }
}
