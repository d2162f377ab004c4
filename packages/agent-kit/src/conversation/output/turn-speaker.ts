import {
  type AgentEvent,
  agentStateEvent,
  type TurnOutput,
  type TurnRecord,
} from '@session/conversation';
import { type Delivery, isCut, type RoomOutput } from './room-output.ts';

export interface TurnSpeakerOptions {
  readonly output: RoomOutput;
  /** The answer was cut off: `heard` are the words of it that people heard. */
  readonly onCut: (heard: string) => void;
  /** Receives a line for each turn, without its words. */
  readonly log: (line: string) => void;
}

/** One turn of a conversation. */
export type Turn = (signal: AbortSignal) => AsyncIterable<TurnOutput>;

/** How a turn ended: its words are in the room, or the room was lost; then before or after the first word. */
export type TurnResult = 'sent' | 'lost' | 'broken';

/** Sends turns into the room, one at a time, each to its end. */
export class TurnSpeaker {
  readonly #options: TurnSpeakerOptions;
  #interruption = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: TurnSpeakerOptions) {
    this.#options = options;
  }

  /** Resolves when no turn is running. Never rejects. */
  get ended(): Promise<unknown> {
    return this.#ended;
  }

  /** Ends the turn that is running: the model's request is aborted, the voice falls silent. */
  interrupt(): void {
    this.#interruption.abort();
    void this.#options.output.silence();
  }

  /** Runs a turn. `askedAt` is when the person who is answered fell silent, on the clock of `performance`. */
  async speak(turn: Turn, askedAt?: number): Promise<TurnResult> {
    this.#interruption = new AbortController();
    const speaking = this.#speak(turn, askedAt);
    this.#ended = speaking.catch(() => {});
    return await speaking;
  }

  async #speak(turn: Turn, askedAt: number | undefined): Promise<TurnResult> {
    const { output, onCut, log } = this.#options;
    const began = performance.now();
    let record: TurnRecord | undefined;
    let failure: string | undefined;
    for await (const part of turn(this.#interruption.signal)) {
      if (part.type === 'end') ({ record } = part);
      // The turn is read to its end also when its words reach nobody: the events of the plan count.
      if (failure !== undefined && part.type !== 'event') continue;
      try {
        await output.send(part);
      } catch (error) {
        failure = String(error);
        this.#interruption.abort();
        await output.abandon();
      }
    }
    const delivery = output.takeDelivery();
    if (isCut(delivery)) onCut(delivery.heard);
    const isLost = failure !== undefined;
    await output.sendEvents(isLost ? [] : interruptionEvents(record, delivery));
    // Without a greeting, the first turn is empty.
    const isEmpty = record?.outcome === 'complete' && delivery.said === '';
    if (record && !isEmpty) log(turnLine(record, delivery, { began, askedAt }));
    if (failure === undefined) return 'sent';
    log(`cannot send an answer: ${failure}`);
    return delivery.heard === '' ? 'lost' : 'broken';
  }
}

/** Returns what to report when an answer was cut off of which people heard the beginning. */
function interruptionEvents(record: TurnRecord | undefined, delivery: Delivery): AgentEvent[] {
  const isInterrupted = record?.outcome === 'interrupted' || isCut(delivery);
  if (!isInterrupted || delivery.heard === '') return [];
  const state = { state: 'interrupted', message: 'I was interrupted.' } as const;
  return [agentStateEvent(new Date().toISOString(), state)];
}

/** Returns a turn as one line of the log: JSON, without a word that was said. Times are in whole milliseconds. */
function turnLine(
  { firstWordMs, ...record }: TurnRecord,
  delivery: Delivery,
  { began, askedAt }: { readonly began: number; readonly askedAt: number | undefined },
): string {
  const { firstWordsAt } = delivery;
  const turn = {
    ...record,
    interrupted: record.outcome === 'interrupted' || isCut(delivery),
    endOfTurnMs: askedAt === undefined ? undefined : began - askedAt,
    firstTokenMs: firstWordMs,
    firstWordsMs: firstWordsAt === undefined ? undefined : firstWordsAt - began,
  };
  return JSON.stringify({ turn }, (_name, value: unknown) =>
    typeof value === 'number' ? Math.round(value) : value,
  );
}
