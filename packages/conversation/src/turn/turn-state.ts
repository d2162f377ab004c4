import type { HandoverAgent } from '@session/contract/room';
import { FAILURES, type ModelFailure } from '../model/model-failure.ts';
import type { AnswerFigures, TurnRecord } from './turn-output.ts';
import type { TurnParts } from './turn-parts.ts';
import type { TurnTimer } from './turn-timer.ts';

/** What a model does to the conversation itself, after its last word. `reason` is in the model's words. */
export interface ConversationAct {
  readonly kind: 'conversation_ended' | 'handover';
  readonly reason: string;
  /** The agent to which the conversation is handed over; without it, a handover is to a person. */
  readonly to?: HandoverAgent;
}

interface Counts {
  readonly modelCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export class TurnState {
  readonly #began: number;
  readonly #before: Counts;
  /** Times out the turn, not counting the time of its tools and the time in which people hear the answer. */
  readonly timer: TurnTimer | undefined;
  #firstWordAt: number | undefined;
  #endsInSpace = false;
  text = '';
  hasSpoken = false;
  isAnswered = false;
  isApologised = false;
  isCut = false;
  toolRounds = 0;
  toolCalls = 0;
  readonly finishedCalls = new Set<string>();
  refusedRounds = 0;
  mayHandOver = true;
  act: ConversationAct | undefined;

  constructor(now: number, before: Counts, timer?: TurnTimer) {
    this.#began = now;
    this.#before = before;
    this.timer = timer;
  }

  say(words: string, now: number): string {
    const isNewPart =
      this.hasSpoken && this.text === '' && !this.#endsInSpace && !/^\s/.test(words);
    this.#endsInSpace = /\s$/.test(words);
    this.text += words;
    if (words.trim() !== '') {
      this.hasSpoken = true;
      this.#firstWordAt ??= now;
    }
    return isNewPart ? ` ${words}` : words;
  }

  outcome(failure: ModelFailure | undefined): TurnRecord['outcome'] {
    if (this.isAnswered) return this.isCut ? 'truncated' : 'complete';
    if (!failure) return 'interrupted';
    return this.hasSpoken ? 'truncated' : 'failed';
  }

  figures({ model, budget }: Pick<TurnParts, 'budget' | 'model'>): AnswerFigures {
    const { name, isFallback: fallback } = model;
    return {
      ...(name !== undefined && { model: name }),
      fallback,
      ...(this.#firstWordAt !== undefined && { firstTokenMs: this.#firstWordAt - this.#began }),
      toolCalls: this.toolCalls,
      ...this.#since(budget.total),
    };
  }

  record(
    outcome: TurnRecord['outcome'],
    failure: ModelFailure | undefined,
    now: number,
    after: Counts,
  ): TurnRecord {
    return {
      outcome,
      ...(failure && { reason: FAILURES[failure.kind].reason, detail: failure.message }),
      ...(this.#firstWordAt !== undefined && { firstWordMs: this.#firstWordAt - this.#began }),
      durationMs: now - this.#began,
      ...this.#since(after),
    };
  }

  #since(after: Counts): Counts {
    return {
      modelCalls: after.modelCalls - this.#before.modelCalls,
      promptTokens: after.promptTokens - this.#before.promptTokens,
      completionTokens: after.completionTokens - this.#before.completionTokens,
    };
  }
}
