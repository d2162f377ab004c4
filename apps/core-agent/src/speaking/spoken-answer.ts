import type { Speech } from '@session/agent-kit/conversation';
import { pause } from '@session/kit';
import type { VoiceTrack } from '@session/media/room';
import { SampleBuffer } from '../sample-buffer.ts';
import { HeardText } from './heard-text.ts';
import { SentenceSound, SoundFailure } from './sentence-sound.ts';
import { SentenceSplitter } from './sentence-splitter.ts';

const FRAME_MS = 20;
/** How many sentences are requested before they are played. Few, so that an interrupted answer costs little. */
const SENTENCES_AHEAD = 2;

export type PlayingTrack = Pick<VoiceTrack, 'clear' | 'queuedMs' | 'rate' | 'write'>;

/**
 * Returns the spoken form of `written`, the next sentence of an answer. Code, for example, is left out.
 */
export type SpokenTextOf = (written: string, isLast: boolean) => Promise<string>;

export interface SpokenAnswerOptions {
  readonly track: Promise<PlayingTrack | undefined>;
  readonly heard: (words: string) => Promise<void>;
  readonly spokenOf: SpokenTextOf;
  readonly synthesize: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  /** Called when the sound fails. The rest of the answer is then only written. */
  readonly failed: (error: unknown) => void;
  /** Called with the first sound. `afterMs`: milliseconds since the first word. */
  readonly firstSound: (afterMs: number) => void;
}

interface Sentence {
  readonly written: string;
  readonly isLast: boolean;
  sound: Promise<SentenceSound | undefined> | undefined;
}

export class SpokenAnswer implements Speech {
  readonly #options: SpokenAnswerOptions;
  readonly #splitter = new SentenceSplitter();
  readonly #heardText = new HeardText();
  readonly #stopped = new AbortController();
  readonly #muted = new AbortController();
  readonly over: Promise<void>;
  readonly #played: Promise<void>;
  readonly #beganAt = performance.now();
  #sentences: Sentence[] = [];
  #isComplete = false;
  #isSilent = false;
  #isOver = false;
  #grown = Promise.withResolvers<void>();
  #track: PlayingTrack | undefined;
  #givenSamples = 0;
  readonly #holders = new Set<object>();
  #held: PromiseWithResolvers<void> | undefined;
  readonly #lastGiven = new SampleBuffer();
  #droppedSamples = 0;

  constructor(options: SpokenAnswerOptions) {
    this.#options = options;
    this.#played = this.#play().finally(() => {
      this.#isOver = true;
    });
    // `end` throws the failure.
    this.over = this.#played.catch(() => {});
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isSounding(): boolean {
    return this.#givenSamples > 0 && !this.#isOver && !this.#muted.signal.aborted;
  }

  async write(words: string): Promise<void> {
    this.#add(this.#splitter.push(words));
    await Promise.resolve();
  }

  async end(): Promise<void> {
    this.#add([this.#splitter.end()], true);
    this.#isComplete = true;
    this.#wake();
    await this.#played;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#muted.abort();
    this.#track?.clear();
    this.#release();
    this.#wake();
    await this.#played.catch(() => {});
  }

  /** Stops the sound and no longer uses the track, because nobody listens. What was not heard is written. */
  mute(): void {
    this.#isSilent = true;
    this.#muted.abort();
  }

  hold(holder: object): void {
    if (!this.isSounding || !this.#track) return;
    this.#holders.add(holder);
    if (this.#held) return;
    this.#held = Promise.withResolvers();
    const { queuedMs, rate } = this.#track;
    const dropped = this.#droppedSamples + Math.round((queuedMs * rate) / 1000);
    this.#droppedSamples = Math.min(dropped, this.#lastGiven.length);
    this.#track.clear();
  }

  resume(holder: object): void {
    this.#holders.delete(holder);
    if (this.#holders.size === 0) this.#release();
  }

  #release(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  #add(sentences: readonly string[], isLast = false): void {
    for (const written of sentences) {
      if (written !== '') this.#sentences.push({ written, isLast, sound: undefined });
    }
    this.#requestAhead();
    this.#wake();
  }

  #wake(): void {
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
  }

  #requestAhead(): void {
    if (!this.#track || this.#isSilent) return;
    for (const sentence of this.#sentences.slice(0, SENTENCES_AHEAD)) {
      this.#request(sentence);
    }
  }

  #request(sentence: Sentence): void {
    sentence.sound ??= this.#soundOf(sentence);
    // A failure only matters when the sentence is played.
    sentence.sound.catch(() => {});
  }

  async #soundOf({ written, isLast }: Sentence): Promise<SentenceSound | undefined> {
    const spoken = await this.#spokenOf(written, isLast);
    if (!/[\p{L}\p{N}]/u.test(spoken)) return undefined;
    return new SentenceSound(this.#options.synthesize(spoken.trim(), this.#muted.signal));
  }

  async #spokenOf(written: string, isLast: boolean): Promise<string> {
    try {
      return await this.#options.spokenOf(written, isLast);
    } catch (cause) {
      throw new SoundFailure('the text cannot be spoken', { cause });
    }
  }

  async #play(): Promise<void> {
    this.#track = await this.#options.track;
    this.#isSilent ||= this.#track === undefined;
    this.#requestAhead();
    for (;;) {
      const sentence = await this.#next();
      if (!sentence) break;
      await this.#playSentence(sentence);
    }
    await this.#playOut();
  }

  async #next(): Promise<Sentence | undefined> {
    const isStopped = () => this.#stopped.signal.aborted;
    while (this.#sentences.length === 0 && !this.#isComplete && !isStopped()) {
      await this.#grown.promise;
    }
    if (isStopped()) return undefined;
    const sentence = this.#sentences.shift();
    if (sentence && this.#track && !this.#isSilent) this.#request(sentence);
    this.#requestAhead();
    return sentence;
  }

  async #playSentence({ written, sound }: Sentence): Promise<void> {
    if (this.#isSilent || !this.#track) return await this.#handRest(written);
    this.#heardText.begin(written, this.#givenMs);
    try {
      const made = await sound;
      if (made) await this.#playSound(made, this.#track);
      this.#heardText.finish(this.#givenMs);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      if (!(error instanceof SoundFailure)) throw error;
      if (!this.#muted.signal.aborted) this.#options.failed(error.cause);
      this.#isSilent = true;
    }
    if (this.#isSilent) await this.#handRest();
  }

  async #playSound(sound: SentenceSound, track: PlayingTrack): Promise<void> {
    const frame = (track.rate * FRAME_MS) / 1000;
    for (let offset = 0; ; ) {
      await this.#replayDropped(track, frame);
      const samples = await sound.read(offset, frame);
      if (!samples || this.#muted.signal.aborted) return;
      if (this.#givenSamples === 0) this.#options.firstSound(performance.now() - this.#beganAt);
      offset += samples.length;
      this.#givenSamples += samples.length;
      this.#lastGiven.push(samples);
      this.#lastGiven.keepLast(track.rate);
      await track.write(samples, this.#muted.signal);
      await this.#handHeard();
    }
  }

  /** Waits while a person talks, then repeats the sound that the interruption dropped. */
  async #replayDropped(track: PlayingTrack, frame: number): Promise<void> {
    await this.#held?.promise;
    while (this.#droppedSamples > 0 && !this.#muted.signal.aborted) {
      const start = this.#lastGiven.length - this.#droppedSamples;
      const samples = this.#lastGiven.slice(start, start + frame);
      this.#droppedSamples -= samples.length;
      await track.write(samples, this.#muted.signal);
      await this.#held?.promise;
    }
  }

  async #playOut(): Promise<void> {
    const { signal } = this.#muted;
    while (this.#track && !signal.aborted && this.#isPlaying) {
      await this.#replayDropped(this.#track, (this.#track.rate * FRAME_MS) / 1000);
      await pause(FRAME_MS, signal);
      await this.#handHeard();
    }
    await this.#handRest();
  }

  get #isPlaying(): boolean {
    const isQueued = (this.#track?.queuedMs ?? 0) > 0;
    return this.#held !== undefined || this.#droppedSamples > 0 || isQueued;
  }

  get #givenMs(): number {
    return this.#track ? (this.#givenSamples / this.#track.rate) * 1000 : 0;
  }

  async #handHeard(): Promise<void> {
    if (this.#held || !this.#track || this.#muted.signal.aborted) return;
    const droppedMs = (this.#droppedSamples / this.#track.rate) * 1000;
    await this.#hand(this.#heardText.take(this.#givenMs - droppedMs - this.#track.queuedMs));
  }

  async #handRest(written = ''): Promise<void> {
    await this.#held?.promise;
    if (!this.#stopped.signal.aborted) await this.#hand(this.#heardText.takeAll() + written);
  }

  async #hand(words: string): Promise<void> {
    if (words !== '') await this.#options.heard(words);
  }
}
