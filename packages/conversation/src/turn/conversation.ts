import type { AgentEvent, PlanState } from '@session/contract/room';
import type { ModelClient } from '../model/model-client.ts';
import type { Plan } from '../plan/plan.ts';
import { agentStateEvent } from '../plan/plan-event.ts';
import { PlanMachine } from '../plan/plan-machine.ts';
import type { PromptHistory } from '../prompt/history.ts';
import type { HistoryEntry } from '../prompt/history-entry.ts';
import type { ConversationSettings, Persona } from '../settings/settings.ts';
import { CallBudget } from './call-budget.ts';
import { ModelHealth } from './health.ts';
import { ModelRounds } from './model-rounds.ts';
import { ModelSession } from './model-session.ts';
import { GREETING_REQUEST, NUDGE_REQUEST } from './notices.ts';
import { type SetPhrases, setPhrasesOf } from './set-phrases.ts';
import type { TurnOutput, UserText } from './turn-output.ts';
import { TurnRunner } from './turn-runner.ts';

export interface ConversationCoreOptions {
  readonly settings: Pick<ConversationSettings, 'model' | 'persona'>;
  readonly model: ModelClient;
  /** A UUID. */
  readonly sessionId: string;
  readonly plan?: Plan | undefined;
  /** What was said before a restart, and the state of the plan then. */
  readonly history?: readonly HistoryEntry[];
  readonly planState?: PlanState | undefined;
  /** Returns the present time. */
  readonly now?: () => Date;
  /** Returns milliseconds that only increase. */
  readonly clock?: () => number;
}

/**
 * A conversation that follows a plan, without a room: texts of users in, words and events out. One turn runs at a time: to
 * interrupt it, abort its signal and read it to its end. The caller sends each output before it takes the next one.
 */
export class ConversationCore implements AsyncDisposable {
  readonly #persona: Persona;
  readonly #machine: PlanMachine | undefined;
  /** Returns the present time, ISO 8601 in UTC. */
  readonly #at: () => string;
  readonly #health = new ModelHealth();
  readonly #budget: CallBudget;
  readonly #session: ModelSession;
  readonly #sentences: SetPhrases;
  readonly #turns: TurnRunner;
  /** What was said to other agents, and by them, since the last turn began: a turn that runs must keep its answer apart. */
  readonly #overheard: HistoryEntry[] = [];

  constructor(options: ConversationCoreOptions) {
    const { settings, model, sessionId, plan, planState, history = [] } = options;
    const { persona } = settings;
    const { now = () => new Date(), clock = () => performance.now() } = options;
    const sentences = setPhrasesOf(persona);
    const health = this.#health;
    const machine = plan && new PlanMachine(plan, sessionId, planState);
    const budget = new CallBudget(settings.model.budgetTokens, clock);
    const session = new ModelSession(model, settings.model, budget);
    for (const entry of history) session.history.add(entry);
    const rounds = new ModelRounds({ persona, model, session, machine, health, now });
    const { turnMs } = settings.model;
    const at = () => now().toISOString();
    this.#turns = new TurnRunner({ rounds, session, health, budget, sentences, turnMs, at, clock });
    this.#sentences = sentences;
    this.#persona = persona;
    this.#machine = machine;
    this.#at = at;
    this.#budget = budget;
    this.#session = session;
  }

  /** How far the plan is, or undefined without a plan. */
  get planState(): PlanState | undefined {
    return this.#machine?.state;
  }

  /** Whether the model refused three turns in a row: the template is wrong, and the agent stops. */
  get isRefusedForGood(): boolean {
    return this.#health.isRefusedForGood;
  }

  /** When to call `answer` without texts, because texts failed without a sentence; on the clock of the options. */
  get retryAt(): number | undefined {
    return this.#turns.retryAt;
  }

  /** All calls of the model and all tokens so far. */
  get usage(): CallBudget['total'] {
    return this.#budget.total;
  }

  /** Whether the tokens of the template are used up: the agent has said so, and leaves. */
  get isBudgetSpent(): boolean {
    return this.#budget.isSpent;
  }

  /** Returns the events that begin the conversation, before its first turn. */
  begin(): AgentEvent[] {
    const at = this.#at();
    const ready = agentStateEvent(at, { state: 'ready', message: 'I am ready.' });
    return [ready, ...(this.#machine?.begin(at) ?? [])];
  }

  /** Greets, as the template says: with its words, with words of the model, or not at all. */
  async *greet(signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const { greeting } = this.#persona;
    const history = this.#upToDate();
    if (greeting !== undefined) {
      yield* this.#turns.say(greeting === 'off' ? '' : greeting);
      return;
    }
    history.add({ kind: 'request', text: GREETING_REQUEST });
    for await (const output of this.#turns.run(false, signal)) {
      const isFailed = output.type === 'end' && output.record.outcome === 'failed';
      if (isFailed) {
        history.addAnswer(this.#sentences.greeting);
        yield { type: 'text', text: this.#sentences.greeting };
        yield { type: 'answered', ending: 'whole' };
      }
      yield output;
    }
  }

  /** Asks once more, because the user is silent. */
  async *nudge(signal: AbortSignal): AsyncGenerator<TurnOutput> {
    this.#upToDate().add({ kind: 'request', text: NUDGE_REQUEST });
    yield* this.#turns.run(false, signal);
  }

  /** Answers what users said since the last turn. */
  async *answer(texts: readonly UserText[], signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const history = this.#upToDate();
    for (const text of texts) history.add({ kind: 'user', ...text });
    yield* this.#turns.run(true, signal);
  }

  /** The newest answer was cut off: `heard` are the words of it that people heard or saw. Call it after the turn. */
  cutAnswer(heard: string): void {
    this.#session.history.cutAnswer(heard);
  }

  /** Takes what a user said to another agent: it needs no answer of this one. */
  overhear(text: UserText): void {
    this.#overheard.push({ kind: 'user', ...text });
  }

  /** Takes the answer of another agent of the conversation. */
  overhearAnswer(text: string): void {
    this.#overheard.push({ kind: 'answer', text, isInterrupted: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }

  /** Returns the history with all that was overheard. */
  #upToDate(): PromptHistory {
    const { history } = this.#session;
    for (const entry of this.#overheard.splice(0)) history.add(entry);
    return history;
  }
}
