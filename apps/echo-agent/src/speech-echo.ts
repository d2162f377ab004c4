import type { RoomAgent } from '@session/agent-kit';
import {
  INCOMING_FRAME_MS as FRAME_MS,
  INCOMING_RATE,
  type IncomingAudio,
  type JoinedRoom,
  type VoiceTrack,
} from '@session/media/room';
import { FairQueue } from './fair-queue.ts';
import { type UtteranceFrames, UtteranceRecorder } from './utterance-recorder.ts';

const MAX_WAITING_MS = 300_000;
/** A person who sends no frames for this long, for example with a muted microphone, counts as silent. */
const NO_FRAMES_MS = 1000;

type Heard = Pick<IncomingAudio, 'frames' | 'isOfAgent' | 'participant'>;

interface EchoRoom extends Pick<JoinedRoom, 'closed'> {
  openVoice(rate: number): Promise<Track>;
}

type Track = Pick<VoiceTrack, 'clear' | 'untilPlayed' | 'write'>;

interface Said {
  readonly utterance: UtteranceFrames;
  readonly audio: Pick<IncomingAudio, 'isOfAgent'>;
}

/** Repeats what each person said once they pause, one person after another. Does not echo agents. */
export class SpeechEcho implements RoomAgent {
  readonly readsTexts = false;
  readonly #log: (line: string) => void;
  readonly #said = new FairQueue<Said>(MAX_WAITING_MS);
  readonly #stopping = new AbortController();
  readonly #done = Promise.withResolvers<void>();
  #added = Promise.withResolvers<void>();
  #idle: Promise<void> = Promise.resolve();

  constructor(log: (line: string) => void) {
    this.#log = log;
  }

  get done(): Promise<void> {
    return this.#done.promise;
  }

  joined(room: EchoRoom): void {
    const ended = new AbortController();
    void room.closed.then(() => ended.abort());
    const signal = AbortSignal.any([this.#stopping.signal, ended.signal]);
    this.#idle = this.#idle.then(() => this.#speakIn(room, signal));
  }

  hearAudio(audio: Heard): void {
    this.#listen(audio).catch((error) => this.#log(`listening failed: ${String(error)}`));
  }

  receive(): void {
    // Texts are answered elsewhere.
  }

  /** Stops speaking, even in mid-sentence. Never rejects. */
  async finish(): Promise<void> {
    this.#stopping.abort();
    await this.#idle;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    this.#said.clear();
  }

  async #listen(audio: Heard): Promise<void> {
    const { identity } = audio.participant;
    const recorder = new UtteranceRecorder();
    const add = (utterance: UtteranceFrames | undefined) => {
      if (!utterance || audio.isOfAgent || this.#stopping.signal.aborted) return;
      this.#add(identity, { utterance, audio });
    };
    const silence = setTimeout(() => add(recorder.end()), NO_FRAMES_MS);
    try {
      for await (const frame of audio.frames) {
        silence.refresh();
        add(recorder.push(frame));
      }
    } finally {
      clearTimeout(silence);
    }
    // If a person leaves in mid-sentence, the part that was said is repeated.
    add(recorder.end());
  }

  #add(owner: string, said: Said): void {
    const size = said.utterance.length * FRAME_MS;
    for (const dropped of this.#said.add({ owner, item: said, size })) {
      this.#log(`dropped ${dropped.size / 1000} s of speech: queue full`);
    }
    this.#added.resolve();
  }

  async #speakIn(room: EchoRoom, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    try {
      await this.#play(await room.openVoice(INCOMING_RATE), signal);
    } catch (error) {
      if (!signal.aborted) this.#log(`speaking failed: ${String(error)}`);
    }
  }

  async #play(track: Track, signal: AbortSignal): Promise<void> {
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
        isSaid = await sayBack(next.item, track, signal);
      } finally {
        // What the end of a connection cut off is repeated in the next connection.
        if (!isSaid && !next.item.audio.isOfAgent) this.#said.putBack(next);
      }
      if (isSaid) this.#log(`said back ${next.size / 1000} s of speech`);
    }
  }
}

async function sayBack(
  { utterance, audio }: Said,
  track: Track,
  signal: AbortSignal,
): Promise<boolean> {
  // A participant may only now turn out to be an agent.
  const goesOn = () => !signal.aborted && !audio.isOfAgent;
  for (const frame of utterance) {
    if (goesOn()) await track.write(frame, signal);
  }
  if (goesOn()) await track.untilPlayed();
  if (goesOn()) return true;
  track.clear();
  return false;
}
