import type { Speech } from '@session/agent-kit/conversation';
import { pause } from '@session/kit';
import type { VoiceTrack } from '@session/media';
import { HeardText } from './heard-text.ts';
import { SentenceSound, SoundFailure } from './sentence-sound.ts';
import { SentenceSplitter } from './sentence-splitter.ts';

const FRAME_MS = 20;
/** Sentences whose sound is requested before they are played: an interrupted answer has cost little. */
const SENTENCES_AHEAD = 2;

export type PlayingTrack = Pick<VoiceTrack, 'clear' | 'queuedMs' | 'rate' | 'write'>;

/** Returns what is spoken of the next sentence of an answer as it is written; nothing of code, for example. */
export type SpokenTextOf = (written: string, isLast: boolean) => Promise<string>;

export interface SpokenAnswerOptions {
  /** Resolves with the track to play on, or undefined when nobody listens: the answer is then written alone. */
  readonly track: Promise<PlayingTrack | undefined>;
  /** Takes the words as they are heard. */
  readonly heard: (words: string) => Promise<void>;
  readonly spokenOf: SpokenTextOf;
  readonly synthesize: (text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
  /** Called when a sound could not be made. The rest of the answer is written. */
  readonly failed: (error: unknown) => void;
  /** Called with the first sound, in milliseconds since the first word. */
  readonly firstSound: (afterMs: number) => void;
}

interface Sentence {
  readonly written: string;
  readonly isLast: boolean;
  sound: Promise<SentenceSound | undefined> | undefined;
}

/** An answer that is spoken sentence by sentence. Its words are handed on as they are heard. */
export class SpokenAnswer implements Speech {
  readonly #options: SpokenAnswerOptions;
  readonly #splitter = new SentenceSplitter();
  readonly #heardText = new HeardText();
  readonly #stopped = new AbortController();
  readonly #played: Promise<void>;
  readonly #beganAt = performance.now();
  #sentences: Sentence[] = [];
  #isComplete = false;
  /** Nobody listens, or no sound can be made: words are heard as they are written. */
  #isSilent = false;
  #isOver = false;
  #grown = Promise.withResolvers<void>();
  #track: PlayingTrack | undefined;
  /** Samples that were given to the track, without those that are played again. */
  #givenSamples = 0;
  /** While a person talks over the answer: resolves when the answer goes on. */
  #held: PromiseWithResolvers<void> | undefined;
  #droppedMs = 0;

  constructor(options: SpokenAnswerOptions) {
    this.#options = options;
    this.#played = this.#play().finally(() => {
      this.#isOver = true;
    });
    // Its failure is thrown by `end`.
    this.#played.catch(() => {});
  }

  /** Whether sound of it can be heard now, or is about to be. */
  get isSounding(): boolean {
    return this.#givenSamples > 0 && !this.#isOver;
  }

  async write(words: string): Promise<void> {
    this.#add(this.#splitter.push(words));
    await Promise.resolve();
  }

  async end(): Promise<void> {
    this.#add([this.#splitter.end()], true);
    this.#isComplete = true;
    this.#tell();
    await this.#played;
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#track?.clear();
    this.resume();
    this.#tell();
    await this.#played.catch(() => {});
  }

  /** Falls silent, but keeps what is not played yet. */
  hold(): void {
    if (this.#held || !this.isSounding || !this.#track) return;
    this.#held = Promise.withResolvers();
    this.#droppedMs = this.#track.queuedMs;
    this.#track.clear();
  }

  /** Goes on where `hold` cut the sound. */
  resume(): void {
    this.#held?.resolve();
    this.#held = undefined;
  }

  #add(sentences: readonly string[], isLast = false): void {
    for (const written of sentences) {
      if (written !== '') this.#sentences.push({ written, isLast, sound: undefined });
    }
    this.#requestAhead();
    this.#tell();
  }

  #tell(): void {
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
  }

  #requestAhead(): void {
    if (!this.#track || this.#isSilent) return;
    for (const sentence of this.#sentences.slice(0, SENTENCES_AHEAD)) {
      sentence.sound ??= this.#soundOf(sentence);
    }
  }

  async #soundOf({ written, isLast }: Sentence): Promise<SentenceSound | undefined> {
    const spoken = await this.#options.spokenOf(written, isLast);
    if (!/[\p{L}\p{N}]/u.test(spoken)) return undefined;
    return new SentenceSound(this.#options.synthesize(spoken.trim(), this.#stopped.signal));
  }

  async #play(): Promise<void> {
    this.#track = await this.#options.track;
    this.#isSilent = this.#track === undefined;
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
    if (sentence && this.#track && !this.#isSilent) sentence.sound ??= this.#soundOf(sentence);
    this.#requestAhead();
    return sentence;
  }

  async #playSentence({ written, sound }: Sentence): Promise<void> {
    if (this.#isSilent || !this.#track) return await this.#options.heard(written);
    this.#heardText.begin(written, this.#givenMs);
    try {
      const made = await sound;
      if (made) await this.#playSound(made, this.#track);
      this.#heardText.finish(this.#givenMs);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      if (!(error instanceof SoundFailure)) throw error;
      this.#isSilent = true;
      this.#options.failed(error.cause);
      await this.#hand(this.#heardText.takeAll());
    }
  }

  async #playSound(sound: SentenceSound, track: PlayingTrack): Promise<void> {
    const frame = (track.rate * FRAME_MS) / 1000;
    for (let offset = 0; ; ) {
      offset -= await this.#whileHeld(offset);
      const samples = await sound.read(offset, frame);
      if (!samples || this.#stopped.signal.aborted) return;
      if (this.#givenSamples === 0) this.#options.firstSound(performance.now() - this.#beganAt);
      await track.write(samples);
      offset += samples.length;
      this.#givenSamples += samples.length;
      await this.#handHeard();
    }
  }

  /** Waits while a person talks. Returns how many samples of this sentence must be played again. */
  async #whileHeld(offset: number): Promise<number> {
    if (!this.#held || !this.#track) return 0;
    await this.#held.promise;
    const dropped = Math.min(offset, Math.round((this.#droppedMs * this.#track.rate) / 1000));
    this.#droppedMs = 0;
    this.#givenSamples -= dropped;
    return dropped;
  }

  /** Waits until everything is heard. */
  async #playOut(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted && this.#isPlaying) {
      await this.#held?.promise;
      await pause(FRAME_MS, signal);
      await this.#handHeard();
    }
    if (!signal.aborted) await this.#hand(this.#heardText.takeAll());
  }

  get #isPlaying(): boolean {
    return this.#held !== undefined || (this.#track?.queuedMs ?? 0) > 0;
  }

  get #givenMs(): number {
    return this.#track ? (this.#givenSamples / this.#track.rate) * 1000 : 0;
  }

  async #handHeard(): Promise<void> {
    if (this.#held || !this.#track || this.#stopped.signal.aborted) return;
    await this.#hand(this.#heardText.take(this.#givenMs - this.#track.queuedMs));
  }

  async #hand(words: string): Promise<void> {
    if (words !== '') await this.#options.heard(words);
  }
}
