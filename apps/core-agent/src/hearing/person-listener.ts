import type { VADEvent } from '@livekit/agents';
import type { Participant } from '@session/contract/room';
import { aborted, pause } from '@session/kit';
import { INCOMING_RATE, type IncomingAudio } from '@session/media/room';
import { type Framework, frameOf, type TurnDetector } from '../framework.ts';
import { SampleBuffer } from '../sample-buffer.ts';
import { SpokenTurn } from './spoken-turn.ts';

/** This much sound before the detected speech is transcribed too, because a first consonant is quiet. */
const LEAD_MS = 500;
const MAX_PIECE_MS = 30_000;
/** If no words are known this long after the end of a turn, a held answer continues. */
const WORDLESS_MS = 3000;
const NOTICE_MS = 1000;

export interface HeardWords {
  readonly participant: Participant;
  readonly trackSid: string;
  readonly text: string;
  readonly talkedOver: boolean;
  /** From the end of speech to the end of the turn. `transcribedMs`: from the end of speech to its words. */
  readonly endOfTurnMs: number;
  readonly transcribedMs: number;
}

export interface TurnTimes {
  readonly minMs: number;
  readonly maxMs: number;
  readonly interruptMinMs: number;
}

export interface ListenerEvents {
  readonly isAgentSounding: () => boolean;
  readonly speaks: () => void;
  /** Called once in a turn that talks over the agent. `turn` identifies it. */
  readonly talksOver: (turn: object) => void;
  /** Called when a turn that talked over the agent has no words, or none yet. */
  readonly saidNothing: (turn: object) => void;
  readonly said: (words: HeardWords) => Promise<void>;
  readonly transcribe: (samples: Int16Array) => Promise<string>;
}

export interface PersonListenerOptions {
  readonly audio: IncomingAudio;
  readonly framework: Framework;
  readonly detector: TurnDetector | undefined;
  readonly times: TurnTimes;
  readonly events: ListenerEvents;
}

/**
 * Finds where a person's speech begins and ends, decides when a turn is over (after `minMs` of silence if it sounds complete,
 * otherwise after `maxMs`), and has it transcribed.
 */
export class PersonListener {
  readonly #options: PersonListenerOptions;
  readonly #sound = new SampleBuffer();
  #turn: SpokenTurn | undefined;
  #isSpeaking = false;
  #isHolding = false;
  #spokenMs = 0;
  #noticedAt = 0;
  #goesOn = new AbortController();
  #ending: Promise<void> = Promise.resolve();
  readonly #audioEnd = new AbortController();

  constructor(options: PersonListenerOptions) {
    this.#options = options;
  }

  async listen(): Promise<void> {
    const { audio, framework, detector } = this.#options;
    const activity = framework.vad.stream();
    const watching = this.#watch(activity);
    try {
      for await (const samples of audio.frames) {
        this.#sound.push(samples);
        if (!this.#isSpeaking && !this.#turn) this.#sound.keepLast(samplesIn(LEAD_MS));
        const frame = frameOf(samples);
        activity.pushFrame(frame);
        detector?.push(frame);
      }
    } finally {
      this.#audioEnd.abort();
      activity.close();
      await detector?.close();
      // The person left or withdrew the microphone in mid-sentence.
      this.#endSpeech(this.#spokenMs, 0);
      await watching;
      await this.#ending;
    }
  }

  async #watch(activity: AsyncIterable<VADEvent>): Promise<void> {
    let isSpeaking = false;
    for await (const event of activity) {
      // The framework reports a change with a separate event, but each window shows it too.
      if (event.speaking && !isSpeaking) this.#beginSpeech();
      if (event.speaking) this.#goOn(event.speechDuration);
      if (!event.speaking && isSpeaking)
        this.#endSpeech(event.speechDuration, event.silenceDuration);
      isSpeaking = event.speaking;
    }
  }

  #beginSpeech(): void {
    const { isAgentSounding, transcribe } = this.#options.events;
    this.#isSpeaking = true;
    this.#goesOn.abort();
    this.#turn ??= new SpokenTurn(isAgentSounding(), transcribe);
    this.#notice();
  }

  #goOn(speechMs: number): void {
    const { times, events } = this.#options;
    this.#spokenMs = speechMs;
    if (performance.now() - this.#noticedAt > NOTICE_MS) this.#notice();
    const turn = this.#turn;
    const totalMs = speechMs + (turn?.speechMs ?? 0);
    const isLong = totalMs >= times.interruptMinMs;
    if (turn && !this.#isHolding && isLong && events.isAgentSounding()) {
      this.#isHolding = true;
      events.talksOver(turn);
    }
    if (this.#sound.length > samplesIn(MAX_PIECE_MS)) this.#cut(MAX_PIECE_MS);
  }

  #endSpeech(speechMs: number, silentMs: number): void {
    // The end of the audio may have ended the speech already.
    if (!this.#isSpeaking) return;
    this.#isSpeaking = false;
    this.#notice();
    this.#cut(speechMs);
    const turn = this.#turn;
    if (!turn) return;
    this.#goesOn = new AbortController();
    const { signal } = this.#goesOn;
    const silentSince = performance.now() - silentMs;
    this.#ending = this.#ending.then(() => this.#endTurn(turn, silentSince, signal));
  }

  /**
   * Ends a piece of the turn. A cough during an answer is kept, but transcribed only if more speech follows, or if the agent
   * is silent at the end of the turn.
   */
  #cut(speechMs: number): void {
    const turn = this.#turn;
    if (!turn) return;
    turn.add(this.#sound.slice(0), speechMs);
    this.#sound.keepLast(0);
    if (!this.#isCough(turn)) turn.transcribe();
  }

  #isCough(turn: SpokenTurn): boolean {
    return turn.isOverAnswer && turn.speechMs < this.#options.times.interruptMinMs;
  }

  async #endTurn(turn: SpokenTurn, silentSince: number, goesOn: AbortSignal): Promise<void> {
    const { times: limits, events, audio } = this.#options;
    const isOver = await this.#soundsOver();
    const waitMs = (isOver ? limits.minMs : limits.maxMs) - (performance.now() - silentSince);
    if (waitMs > 0) await pause(waitMs, AbortSignal.any([goesOn, this.#audioEnd.signal]));
    if (goesOn.aborted || this.#turn !== turn) return;
    this.#turn = undefined;
    const endOfTurnMs = performance.now() - silentSince;
    const talkedOver = this.#isHolding;
    this.#isHolding = false;
    const known = new AbortController();
    if (talkedOver) void resumeLate(() => events.saidNothing(turn), known.signal);
    // A short word over the last syllables of an answer that ended is not a cough.
    if (!events.isAgentSounding()) turn.transcribe();
    const text = await turn.words();
    known.abort();
    if (text === '') {
      if (talkedOver) events.saidNothing(turn);
      return;
    }
    const { participant, trackSid } = audio;
    const transcribedMs = performance.now() - silentSince;
    const times = { endOfTurnMs, transcribedMs };
    await events.said({ participant, trackSid, text, talkedOver, ...times });
  }

  async #soundsOver(): Promise<boolean> {
    const { detector } = this.#options;
    const { signal } = this.#audioEnd;
    if (!detector || signal.aborted) return true;
    const over = detector.isTurnOver().catch(() => true);
    return await Promise.race([over, aborted(signal).then(() => true)]);
  }

  #notice(): void {
    this.#noticedAt = performance.now();
    this.#options.events.speaks();
  }
}

async function resumeLate(resume: () => void, known: AbortSignal): Promise<void> {
  if (await pause(WORDLESS_MS, known)) resume();
}

function samplesIn(ms: number): number {
  return (INCOMING_RATE * ms) / 1000;
}
