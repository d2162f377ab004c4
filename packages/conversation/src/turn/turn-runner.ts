import { FAILURES, ModelFailure } from '../model/model-failure.ts';
import type { CallBudget } from './call-budget.ts';
import type { ModelHealth } from './health.ts';
import type { ModelRounds } from './model-rounds.ts';
import type { ModelSession } from './model-session.ts';
import { BUDGET_NOTICE, NOTICES, TRUNCATED_NOTICE } from './notices.ts';
import { eventOutputs, type TurnOutput, type TurnRecord } from './turn-output.ts';
import { TurnState } from './turn-state.ts';

export interface TurnRunnerOptions {
  readonly rounds: ModelRounds;
  readonly session: ModelSession;
  readonly health: ModelHealth;
  readonly budget: CallBudget;
  /** The longest turn, in milliseconds. */
  readonly turnMs: number;
  /** Returns the present time, ISO 8601 in UTC. */
  readonly at: () => string;
}

/** Runs the turns of one conversation, and ends each with its record. */
export class TurnRunner {
  readonly #rounds: ModelRounds;
  readonly #session: ModelSession;
  readonly #health: ModelHealth;
  readonly #budget: CallBudget;
  readonly #turnMs: number;
  readonly #at: () => string;

  constructor({ rounds, session, health, budget, turnMs, at }: TurnRunnerOptions) {
    this.#rounds = rounds;
    this.#session = session;
    this.#health = health;
    this.#budget = budget;
    this.#turnMs = turnMs;
    this.#at = at;
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
    if (failure) yield* this.#report(failure, turn.hasSpoken);
    if (turn.isAnswered) yield* eventOutputs(this.#health.answered(this.#at()));
    if (this.#budget.isSpent) yield { type: 'notice', text: BUDGET_NOTICE };
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

  *#report(failure: ModelFailure, hasSpoken: boolean): Generator<TurnOutput> {
    yield* eventOutputs(this.#health.failed(failure, this.#at()));
    const { reason } = FAILURES[failure.kind];
    yield { type: 'notice', text: hasSpoken ? TRUNCATED_NOTICE : NOTICES[reason] };
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
