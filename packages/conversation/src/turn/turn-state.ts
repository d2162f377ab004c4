import { FAILURES, type ModelFailure } from '../model/model-failure.ts';
import type { TurnRecord } from './turn-output.ts';

interface Counts {
  readonly modelCalls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** One turn while it runs: what was said in it, and how often tools were used. */
export class TurnState {
  readonly #began: number;
  readonly #before: Counts;
  #firstWordAt: number | undefined;
  /** The words since the last round of tools: a round keeps the words that came with it. */
  text = '';
  hasSpoken = false;
  /** Whether the answer is complete: what follows in the turn cannot take it back. */
  isAnswered = false;
  /** Whether the sentence about a failure was said in this turn. */
  isApologised = false;
  /** Whether the answer reached its largest size. */
  isCut = false;
  toolRounds = 0;
  /** Rounds in which the machine refused a call. */
  refusedRounds = 0;

  constructor(now: number, before: Counts) {
    this.#began = now;
    this.#before = before;
  }

  /** Takes words of the model; returns them as they are to be shown, apart from words before a round of tools. */
  say(words: string, now: number): string {
    const isNewPart = this.hasSpoken && this.text === '' && !/^\s/.test(words);
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
      modelCalls: after.modelCalls - this.#before.modelCalls,
      promptTokens: after.promptTokens - this.#before.promptTokens,
      completionTokens: after.completionTokens - this.#before.completionTokens,
    };
  }
}
