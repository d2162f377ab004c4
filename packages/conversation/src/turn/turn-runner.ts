import { ModelFailure } from '../model/model-failure.ts';
import type { CallBudget } from './call-budget.ts';
import type { ModelHealth } from './health.ts';
import type { ModelRounds } from './model-rounds.ts';
import type { ModelSession } from './model-session.ts';
import type { SetPhrases } from './set-phrases.ts';
import { eventOutputs, type TurnOutput, type TurnRecord } from './turn-output.ts';
import { TurnState } from './turn-state.ts';

export interface TurnRunnerOptions {
  readonly rounds: ModelRounds;
  readonly session: ModelSession;
  readonly health: ModelHealth;
  readonly budget: CallBudget;
  readonly sentences: SetPhrases;
  /** The longest turn, in milliseconds. */
  readonly turnMs: number;
  /** Returns the present time, ISO 8601 in UTC. */
  readonly at: () => string;
  /** Returns milliseconds that only increase. */
  readonly clock: () => number;
}

/** A sentence about a failure is said at most once in this time. */
const SENTENCE_MS = 10_000;

/** Runs the turns of one conversation, and ends each with its record. */
export class TurnRunner {
  readonly #rounds: ModelRounds;
  readonly #session: ModelSession;
  readonly #health: ModelHealth;
  readonly #budget: CallBudget;
  readonly #turnMs: number;
  readonly #sentences: SetPhrases;
  readonly #at: () => string;
  readonly #clock: () => number;
  #apologisedAt = Number.NEGATIVE_INFINITY;
  /** Since when texts have neither an answer nor a sentence because the model fails. */
  #owedSince: number | undefined;

  constructor(options: TurnRunnerOptions) {
    const { rounds, session, health, budget, sentences, turnMs, at, clock } = options;
    this.#rounds = rounds;
    this.#session = session;
    this.#health = health;
    this.#budget = budget;
    this.#turnMs = turnMs;
    this.#sentences = sentences;
    this.#at = at;
    this.#clock = clock;
  }

  /** When texts that failed without a sentence are to be tried again, on the clock of the options. */
  get retryAt(): number | undefined {
    return this.#owedSince === undefined ? undefined : this.#owedSince + SENTENCE_MS;
  }

  /** Runs one turn, whatever happens in it: failures of the model become events, notices, and the outcome. */
  async *run(isAnswer: boolean, signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const turn = new TurnState(performance.now(), this.#budget.total);
    const failure = yield* this.#ask(turn, isAnswer, signal);
    if (turn.hasSpoken && !turn.isAnswered) {
      yield { type: 'answered', ending: failure ? 'truncated' : 'interrupted' };
    }
    if (failure) {
      yield* eventOutputs(this.#health.failed(failure, this.#at()));
      // Where nobody has asked, a failure needs no sentence.
      if (isAnswer || turn.hasSpoken) yield* this.#apologise(turn);
    }
    if (turn.hasSpoken) this.#owedSince = undefined;
    if (turn.isAnswered) yield* eventOutputs(this.#health.answered(this.#at()));
    if (this.#budget.isSpent) yield { type: 'notice', text: this.#sentences.farewell };
    yield this.#end(turn, turn.outcome(failure), failure);
  }

  /** Says words of the template: a turn without the model. */
  *say(text: string): Generator<TurnOutput> {
    const turn = new TurnState(performance.now(), this.#budget.total);
    if (text !== '') {
      this.#session.history.addAnswer(text);
      yield { type: 'text', text: turn.say(text, performance.now()) };
      yield { type: 'answered', ending: 'whole' };
    }
    yield this.#end(turn, 'complete');
  }

  /** Returns the failure that kept the turn from a whole answer, if any. */
  async *#ask(
    turn: TurnState,
    isAnswer: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<TurnOutput, ModelFailure | undefined> {
    const timeout = new AbortController();
    const tooLong = new ModelFailure('stalled', 'the turn took too long');
    const timer = setTimeout(() => timeout.abort(tooLong), this.#turnMs);
    const either = AbortSignal.any([signal, timeout.signal]);
    try {
      for await (const output of this.#rounds.run(turn, isAnswer, either)) {
        if (output.type !== 'retry') yield output;
        else if (isAnswer) yield* this.#noteRetry(turn);
      }
      return undefined;
    } catch (error) {
      const cause = failureOf(error, signal);
      return turn.isAnswered ? undefined : cause;
    } finally {
      clearTimeout(timer);
      this.#session.history.addAnswer(turn.text, !turn.isAnswered);
      this.#session.compact();
    }
  }

  /** A person may interrupt each failing turn before it gives up. So the sentence may come with a retry. */
  *#noteRetry(turn: TurnState): Generator<TurnOutput> {
    if (turn.hasSpoken || turn.isApologised) return;
    const now = this.#clock();
    this.#owedSince ??= now;
    if (now - this.#owedSince >= SENTENCE_MS) yield* this.#apologise(turn);
  }

  *#apologise(turn: TurnState): Generator<TurnOutput> {
    if (turn.isApologised) return;
    const now = this.#clock();
    if (now - this.#apologisedAt < SENTENCE_MS) {
      this.#owedSince ??= now;
      return;
    }
    this.#apologisedAt = now;
    this.#owedSince = undefined;
    turn.isApologised = true;
    const { failure, truncated } = this.#sentences;
    yield { type: 'notice', text: turn.hasSpoken ? truncated : failure };
  }

  #end(turn: TurnState, outcome: TurnRecord['outcome'], failure?: ModelFailure): TurnOutput {
    const record = turn.record(outcome, failure, performance.now(), this.#budget.total);
    return { type: 'end', record };
  }
}

/** Returns why the model failed, or undefined when the turn was interrupted. Throws every other error. */
function failureOf(error: unknown, signal: AbortSignal): ModelFailure | undefined {
  if (signal.aborted) return undefined;
  if (error instanceof ModelFailure) return error;
  throw error;
}
