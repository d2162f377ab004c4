import { ModelFailure } from '../model/model-failure.ts';
import { ModelRounds } from './model-rounds.ts';
import { eventOutputs, type TurnOutput, type TurnRecord } from './turn-output.ts';
import type { TurnParts } from './turn-parts.ts';
import { type ConversationAct, TurnState } from './turn-state.ts';
import { TurnTimer } from './turn-timer.ts';

const SENTENCE_MS = 10_000;

export class TurnRunner {
  readonly #parts: TurnParts;
  readonly #rounds: ModelRounds;
  #apologisedAt = Number.NEGATIVE_INFINITY;
  #owedSince: number | undefined;
  #act: ConversationAct | undefined;
  #hasOperator = false;
  #hasSaidFarewell = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#rounds = new ModelRounds(parts);
  }

  get retryAt(): number | undefined {
    return this.#owedSince === undefined ? undefined : this.#owedSince + SENTENCE_MS;
  }

  get hasSaidFarewell(): boolean {
    return this.#hasSaidFarewell;
  }

  noteLost(): void {
    this.#hasSaidFarewell = false;
  }

  takeAct(): ConversationAct | undefined {
    const act = this.#act;
    this.#act = undefined;
    return act;
  }

  noteOperator(isPresent: boolean): void {
    this.#hasOperator = isPresent;
    if (!isPresent) return;
    this.#owedSince = undefined;
    // The operator may have interrupted the farewell.
    this.#hasSaidFarewell = false;
  }

  async *run(
    isAnswer: boolean,
    signal: AbortSignal,
    mayHandOver = true,
  ): AsyncGenerator<TurnOutput> {
    using timer = new TurnTimer(
      this.#parts.turnMs,
      new ModelFailure('stalled', 'the turn took too long'),
    );
    const turn = new TurnState(performance.now(), this.#parts.budget.total, timer);
    // A handover delays the farewell, so none may begin once the budget is spent.
    turn.mayHandOver = mayHandOver && !this.#parts.budget.isSpent;
    // An act that the caller has not taken belongs to a turn whose words were lost. This turn repeats that one.
    turn.act = this.#act;
    const failure = yield* this.#ask(turn, isAnswer, {
      signal,
      either: AbortSignal.any([signal, timer.signal]),
    });
    if (turn.hasSpoken && !turn.isAnswered) {
      const ending = failure ? 'truncated' : 'interrupted';
      yield { type: 'answered', ending, figures: turn.figures(this.#parts) };
    }
    if (failure) {
      yield* eventOutputs(this.#parts.health.failed(failure, this.#parts.at()));
      // A failure needs no apology if nobody has asked anything.
      const needsApology = turn.act?.kind !== 'handover' && isAnswer;
      if (needsApology || turn.hasSpoken) yield* this.#apologise(turn);
    }
    yield* this.#announceHandover(turn);
    if (turn.hasSpoken) this.#owedSince = undefined;
    this.#act = turn.isAnswered || turn.act?.kind === 'handover' ? turn.act : undefined;
    if (turn.isAnswered) {
      const { health, model, at } = this.#parts;
      yield* eventOutputs(health.answered(at(), model.isFallback));
    }
    const outcome = turn.outcome(failure);
    yield* this.#sayFarewell(turn, isAnswer && outcome !== 'interrupted');
    yield this.#end(turn, outcome, failure);
  }

  *say(text: string): Generator<TurnOutput> {
    const turn = new TurnState(performance.now(), this.#parts.budget.total);
    if (text !== '') {
      this.#parts.session.history.addAnswer(text);
      yield { type: 'text', text: turn.say(text, performance.now()) };
      yield { type: 'answered', ending: 'whole' };
    }
    yield this.#end(turn, 'complete');
  }

  async *#ask(
    turn: TurnState,
    isAnswer: boolean,
    { signal, either }: { readonly signal: AbortSignal; readonly either: AbortSignal },
  ): AsyncGenerator<TurnOutput, ModelFailure | undefined> {
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
      this.#parts.session.history.addAnswer(turn.text, !turn.isAnswered);
      this.#parts.session.compact();
    }
  }

  /** People may interrupt every failing turn before it gives up, so the apology can also come with a retry. */
  *#noteRetry(turn: TurnState): Generator<TurnOutput> {
    if (turn.hasSpoken || turn.isApologised) return;
    const now = this.#parts.clock();
    this.#owedSince ??= now;
    if (now - this.#owedSince >= SENTENCE_MS) yield* this.#apologise(turn);
  }

  *#announceHandover(turn: TurnState): Generator<TurnOutput> {
    if (turn.act?.kind !== 'handover' || turn.hasSpoken || this.#hasOperator) return;
    const { ownTools, phrases } = this.#parts;
    this.#owedSince = undefined;
    yield { type: 'notice', text: ownTools.lastWords(turn.act) ?? phrases.handover };
  }

  *#sayFarewell({ act, hasSpoken }: TurnState, hasAnswered: boolean): Generator<TurnOutput> {
    // A greeting, a nudge or an interrupted answer without a word needs no farewell.
    if (!this.#parts.budget.isSpent || !(hasAnswered || hasSpoken)) return;
    if (act?.kind === 'handover' || this.#hasOperator) return;
    this.#hasSaidFarewell = true;
    yield { type: 'notice', text: this.#parts.phrases.farewell };
  }

  *#apologise(turn: TurnState): Generator<TurnOutput> {
    if (turn.isApologised) return;
    const now = this.#parts.clock();
    if (now - this.#apologisedAt < SENTENCE_MS) {
      this.#owedSince ??= now;
      return;
    }
    this.#apologisedAt = now;
    this.#owedSince = undefined;
    turn.isApologised = true;
    const { failure, truncated } = this.#parts.phrases;
    yield { type: 'notice', text: turn.hasSpoken ? truncated : failure };
  }

  #end(turn: TurnState, outcome: TurnRecord['outcome'], failure?: ModelFailure): TurnOutput {
    const record = turn.record(outcome, failure, performance.now(), this.#parts.budget.total);
    return { type: 'end', record };
  }
}

function failureOf(error: unknown, signal: AbortSignal): ModelFailure | undefined {
  if (signal.aborted) return undefined;
  if (error instanceof ModelFailure) return error;
  throw error;
}
