import { INCOMING_FRAME_MS as FRAME_MS } from '@session/media/room';
import { levelOf, SpeechDetector } from './speech-detector.ts';

export type UtteranceFrames = readonly Int16Array[];

const PAUSE_MS = 800;
const MAX_UTTERANCE_MS = 30_000;
/** Shorter speech is a click, and does not begin an utterance. */
const CLICK_MS = 60;
/**
 * An utterance includes this much sound before its first detected speech, because its beginning may be too quiet to be
 * noticed.
 */
const LEAD_MS = 300;
const TAIL_MS = 200;
/** An utterance with less loud sound than this is not speech but the beginning of a hum. */
const MIN_LOUD_MS = 100;

interface Frame {
  readonly samples: Int16Array;
  readonly levelDb: number;
}

export class UtteranceRecorder {
  readonly #detector = new SpeechDetector(FRAME_MS);
  #frames: Frame[] = [];
  #isSpeaking = false;
  #isCut = false;
  #speechMs = 0;
  #pauseMs = 0;

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
