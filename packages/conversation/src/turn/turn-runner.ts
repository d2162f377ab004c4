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

/** A sentence about a failure is said once in this time: it counts for all texts that fail meanwhile. */
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

  /** Runs one turn, whatever happens in it: failures of the model become events, notices, and the outcome. */
  async *run(isAnswer: boolean, signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const turn = new TurnState(performance.now(), this.#budget.total);
    const timeout = new AbortController();
    const tooLong = new ModelFailure('stalled', 'the turn took too long');
    const timer = setTimeout(() => timeout.abort(tooLong), this.#turnMs);
    let failure: ModelFailure | undefined;
    try {
      yield* this.#rounds.run(turn, isAnswer, AbortSignal.any([signal, timeout.signal]));
    } catch (error) {
      const cause = failureOf(error, signal);
      failure = turn.isAnswered ? undefined : cause;
    } finally {
      clearTimeout(timer);
      this.#session.history.addAnswer(turn.text, !turn.isAnswered);
      this.#session.compact();
    }
    if (turn.hasSpoken && !turn.isAnswered) {
      yield { type: 'answered', ending: failure ? 'truncated' : 'interrupted' };
    }
    if (failure) {
      yield* eventOutputs(this.#health.failed(failure, this.#at()));
      // Where nobody has asked, a failure needs no sentence.
      if (isAnswer || turn.hasSpoken) yield* this.#apologise(turn);
    }
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

  *#apologise({ hasSpoken }: TurnState): Generator<TurnOutput> {
    const now = this.#clock();
    if (now - this.#apologisedAt < SENTENCE_MS) return;
    this.#apologisedAt = now;
    const { failure, truncated } = this.#sentences;
    yield { type: 'notice', text: hasSpoken ? truncated : failure };
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
