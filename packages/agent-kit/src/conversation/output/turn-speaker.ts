import {
  type AgentEvent,
  agentStateEvent,
  type ConversationCore,
  type TurnOutput,
  type TurnRecord,
} from '@session/conversation';
import { pause } from '@session/kit';
import { type Delivery, isCut, type RoomOutput } from './room-output.ts';
import { type AskedTimes, wholeNumbers } from './turn-attribute.ts';

export type Turn = (signal: AbortSignal) => AsyncIterable<TurnOutput>;

export type TurnResult = 'sent' | 'lost' | 'broken';

interface AgainOptions {
  readonly joined: () => Promise<void>;
  readonly isOver: () => boolean;
  readonly leaving: AbortSignal;
}

const MAX_RETRIES = 3;
const RETRY_MS = 1000;

export class TurnSpeaker {
  readonly #output: RoomOutput;
  readonly #conversation: ConversationCore;
  readonly #log: (line: string) => void;
  #interruption = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(output: RoomOutput, conversation: ConversationCore, log: (line: string) => void) {
    this.#output = output;
    this.#conversation = conversation;
    this.#log = log;
  }

  get ended(): Promise<unknown> {
    return this.#ended;
  }

  get isInterrupted(): boolean {
    return this.#interruption.signal.aborted;
  }

  interrupt(): void {
    this.#interruption.abort();
    void this.#output.silence();
  }

  async speak(turn: Turn, askedAt?: number): Promise<TurnResult> {
    this.#interruption = new AbortController();
    const speaking = this.#speak(turn, askedAt);
    this.#ended = speaking.catch(() => {});
    return await speaking;
  }

  async speakAgain(turn: Turn, { joined, isOver, leaving }: AgainOptions): Promise<TurnResult> {
    for (let retries = 0; retries < MAX_RETRIES; retries += 1) {
      await pause(RETRY_MS, leaving);
      await joined();
      if (isOver()) return 'sent';
      const result = await this.speak(turn);
      if (result !== 'lost') return result;
    }
    return 'lost';
  }

  async #speak(turn: Turn, askedAt: number | undefined): Promise<TurnResult> {
    const output = this.#output;
    const began = performance.now();
    let record: TurnRecord | undefined;
    let failure: string | undefined;
    for await (const part of turn(this.#interruption.signal)) {
      if (part.type === 'end') ({ record } = part);
      // The turn is read to its end even if nobody gets its words, because the plan's events count.
      if (failure !== undefined && part.type !== 'event') continue;
      try {
        await output.send(part, { began, askedAt });
      } catch (error) {
        failure = String(error);
        this.#interruption.abort();
        await output.abandon();
      }
    }
    const delivery = output.takeDelivery();
    if (isCut(delivery)) this.#conversation.cutAnswer(delivery.heard);
    const isLost = failure !== undefined;
    await output.sendEvents(isLost ? [] : interruptionEvents(record, delivery));
    // Without a greeting, the first turn is empty.
    const isEmpty = record?.outcome === 'complete' && delivery.said === '';
    if (record && !isEmpty) this.#log(turnLine(record, delivery, { began, askedAt }));
    if (failure === undefined) return 'sent';
    this.#log(`sending answer failed: ${failure}`);
    this.#conversation.noteLost();
    return delivery.heard === '' ? 'lost' : 'broken';
  }
}

function interruptionEvents(record: TurnRecord | undefined, delivery: Delivery): AgentEvent[] {
  const isInterrupted = record?.outcome === 'interrupted' || isCut(delivery);
  if (!isInterrupted || delivery.heard === '') return [];
  const state = { state: 'interrupted', message: 'I was interrupted.' } as const;
  return [agentStateEvent(new Date().toISOString(), state)];
}

function turnLine(
  { firstWordMs, ...record }: TurnRecord,
  delivery: Delivery,
  { began, askedAt }: AskedTimes,
): string {
  const { firstWordsAt } = delivery;
  const turn = {
    ...record,
    interrupted: record.outcome === 'interrupted' || isCut(delivery),
    endOfTurnMs: askedAt === undefined ? undefined : began - askedAt,
    firstTokenMs: firstWordMs,
    firstWordsMs: firstWordsAt === undefined ? undefined : firstWordsAt - began,
  };
  return JSON.stringify({ turn }, wholeNumbers);
}
