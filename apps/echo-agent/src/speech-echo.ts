import type { RoomAgent } from '@session/agent-kit';
import {
  type AudioOutput,
  MICROPHONE_FRAME_MS as FRAME_MS,
  type JoinedRoom,
  type Microphone,
} from '@session/media';
import { FairQueue } from './fair-queue.ts';
import { type Utterance, UtteranceRecorder } from './utterance-recorder.ts';

/** Good enough for speech, and half the memory of what LiveKit sends. */
const SAMPLE_RATE = 24_000;
/** All utterances that wait, of all people together. */
const MAX_WAITING_MS = 300_000;
/** A microphone that sends nothing for this long, for example because it was muted, is silent. */
const NO_FRAMES_MS = 1000;

interface Said {
  readonly utterance: Utterance;
  readonly microphone: Pick<Microphone, 'isOfAgent'>;
}

/** Says back what each person said once they pause, one after another. Agents are not echoed. */
export class SpeechEcho implements RoomAgent {
  readonly #log: (line: string) => void;
  readonly #said = new FairQueue<Said>(MAX_WAITING_MS);
  readonly #stopping = new AbortController();
  readonly #done = Promise.withResolvers<void>();
  #added = Promise.withResolvers<void>();
  #idle: Promise<void> = Promise.resolve();

  /** `log` receives a line for each utterance that is said back. */
  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  joined(room: JoinedRoom): void {
    const error = (reason: unknown) => this.#log(`cannot listen: ${String(reason)}`);
    const microphone = (heard: Microphone) => this.#listen(heard);
    room.receiveMicrophones({ sampleRate: SAMPLE_RATE, microphone, error });
    const ended = new AbortController();
    void room.closed.then(() => ended.abort());
    const signal = AbortSignal.any([this.#stopping.signal, ended.signal]);
    this.#idle = this.#idle.then(() => this.#speakIn(room, signal));
  }

  receive(): void {
    // Texts are answered elsewhere.
  }

  /** Falls silent, in mid-sentence too. Never rejects. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await this.#idle;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#said.clear();
  }

  /** Records what a person says, until their microphone is gone. */
  async #listen(microphone: Microphone): Promise<void> {
    const { identity } = microphone.participant;
    const recorder = new UtteranceRecorder();
    const add = (utterance: Utterance | undefined) => {
      if (!utterance || microphone.isOfAgent || this.#stopping.signal.aborted) return;
      this.#add(identity, { utterance, microphone });
    };
    const silence = setTimeout(() => add(recorder.end()), NO_FRAMES_MS);
    try {
      for await (const frame of microphone) {
        silence.refresh();
        add(recorder.push(frame));
      }
    } finally {
      clearTimeout(silence);
    }
    // A person who left in mid-sentence is said back as far as they came.
    add(recorder.end());
  }

  #add(owner: string, said: Said): void {
    const size = said.utterance.length * FRAME_MS;
    for (const dropped of this.#said.add({ owner, item: said, size })) {
      this.#log(`dropped ${dropped.size / 1000} s of speech: too much waits`);
    }
    this.#added.resolve();
  }

  /** Never rejects. */
  async #speakIn(room: JoinedRoom, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await this.#play(await room.publishMicrophone(SAMPLE_RATE), signal);
    } catch (error) {
      if (!signal.aborted) this.#log(`cannot speak: ${String(error)}`);
    }
  }

  /** Says back what waits, and what is added, until `signal` aborts. */
  async #play(output: AudioOutput, signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#added.resolve(), { once: true });
    while (!signal.aborted) {
      this.#added = Promise.withResolvers();
      const next = this.#said.take();
      if (!next) {
        await this.#added.promise;
        continue;
      }
      let isSaid = false;
      try {
        isSaid = await sayBack(next.item, output, signal);
      } finally {
        // Whatever the end of the connection cut off is said again in the next one.
        if (!isSaid && !next.item.microphone.isOfAgent) this.#said.putBack(next);
      }
      if (isSaid) this.#log(`said back ${next.size / 1000} s of speech`);
    }
  }
}

/** Returns whether all of it was said. */
async function sayBack(
  { utterance, microphone }: Said,
  output: AudioOutput,
  signal: AbortSignal,
): Promise<boolean> {
  for (const frame of utterance) {
    await output.write(frame, signal);
    // A participant may turn out to be an agent only now.
    if (!signal.aborted && !microphone.isOfAgent) continue;
    output.clear();
    return false;
  }
  await output.untilSent();
  return !signal.aborted;
}
