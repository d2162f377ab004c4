import type { ToolCall } from '../model/chat-message.ts';
import type { ModelClient } from '../model/model-client.ts';
import { FAILURES, ModelFailure } from '../model/model-failure.ts';
import type { PlanState } from '../plan/fold-state.ts';
import type { Plan } from '../plan/plan.ts';
import { type AgentEvent, agentStateEvent } from '../plan/plan-event.ts';
import { PlanMachine } from '../plan/plan-machine.ts';
import { planTools, type ToolDefinition } from '../plan/plan-tools.ts';
import type { HistoryEntry } from '../prompt/history-entry.ts';
import { storedValues, systemPrompt } from '../prompt/system-prompt.ts';
import type { ConversationSettings } from '../settings/settings.ts';
import { CallBudget } from './call-budget.ts';
import { ModelHealth } from './health.ts';
import { ModelSession, type Question } from './model-session.ts';
import {
  BUDGET_NOTICE,
  FALLBACK_GREETING,
  GREETING_REQUEST,
  NOTICES,
  NUDGE_REQUEST,
  PLAN_UNSUPPORTED_NOTICE,
  TRUNCATED_NOTICE,
} from './notices.ts';
import { progressCalls, progressQuestion } from './plan-by-json.ts';
import { carryOut } from './tool-round.ts';
import type { TurnOutput, TurnRecord, UserText } from './turn-output.ts';
import { TurnState } from './turn-state.ts';

const MAX_TOOL_ROUNDS = 4;
/** The model may try again after this many rounds with a refused call. */
const MAX_REPAIRS = 2;

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
}

/**
 * A conversation that follows a plan, without a room: texts of users in, words and events out. One turn runs at a time: to
 * interrupt it, abort its signal and read it to its end. The caller sends each output before it takes the next one.
 */
export class ConversationCore implements AsyncDisposable {
  readonly #settings: ConversationCoreOptions['settings'];
  readonly #model: ModelClient;
  readonly #machine: PlanMachine | undefined;
  readonly #now: () => Date;
  readonly #health = new ModelHealth();
  readonly #budget: CallBudget;
  readonly #session: ModelSession;
  #isPlanUnsupported = false;

  constructor(options: ConversationCoreOptions) {
    const { settings, model, sessionId, plan, planState, history = [] } = options;
    this.#settings = settings;
    this.#model = model;
    this.#machine = plan && new PlanMachine(plan, sessionId, planState);
    this.#now = options.now ?? (() => new Date());
    this.#budget = new CallBudget(settings.model.budgetTokens, () => performance.now());
    this.#session = new ModelSession(model, settings.model, this.#budget);
    for (const entry of history) this.#session.history.add(entry);
  }

  /** How far the plan is, or undefined without a plan. */
  get planState(): PlanState | undefined {
    return this.#machine?.state;
  }

  /** Whether the model refused three turns in a row: the template is wrong, and the agent stops. */
  get isRefusedForGood(): boolean {
    return this.#health.isRefusedForGood;
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
    const { greeting } = this.#settings.persona;
    if (greeting !== undefined) {
      yield* this.#say(greeting === 'off' ? '' : greeting);
      return;
    }
    this.#session.history.add({ kind: 'request', text: GREETING_REQUEST });
    for await (const output of this.#turn(false, signal)) {
      const isFailed = output.type === 'end' && output.record.outcome === 'failed';
      if (isFailed) yield { type: 'text', text: this.#keep(FALLBACK_GREETING) };
      yield output;
    }
  }

  /** Asks once more, because the user is silent. */
  async *nudge(signal: AbortSignal): AsyncGenerator<TurnOutput> {
    this.#session.history.add({ kind: 'request', text: NUDGE_REQUEST });
    yield* this.#turn(false, signal);
  }

  /** Answers what users said since the last turn. */
  async *answer(texts: readonly UserText[], signal: AbortSignal): AsyncGenerator<TurnOutput> {
    for (const { text, speaker } of texts) {
      this.#session.history.add({ kind: 'user', text, speaker });
    }
    yield* this.#turn(true, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }

  /** Runs one turn, whatever happens in it: failures of the model become events, notices, and the outcome. */
  async *#turn(isAnswer: boolean, signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const turn = new TurnState(performance.now(), this.#budget.total);
    const timeout = new AbortController();
    const tooLong = new ModelFailure('stalled', 'the turn took too long');
    const timer = setTimeout(() => timeout.abort(tooLong), this.#settings.model.turnMs);
    let outcome: TurnRecord['outcome'] = 'interrupted';
    let failure: ModelFailure | undefined;
    try {
      yield* this.#rounds(turn, isAnswer, AbortSignal.any([signal, timeout.signal]));
      outcome = 'complete';
    } catch (error) {
      const cause = failureOf(error, signal);
      if (turn.isAnswered) outcome = 'complete';
      else if (cause) {
        failure = cause;
        outcome = turn.hasSpoken ? 'truncated' : 'failed';
      }
    } finally {
      clearTimeout(timer);
      this.#keep(turn.text, outcome !== 'complete');
      this.#session.compact();
    }
    if (failure) yield* this.#report(failure, turn.hasSpoken);
    if (outcome === 'complete') yield* eventOutputs(this.#health.answered(this.#at()));
    if (this.isBudgetSpent) yield { type: 'notice', text: BUDGET_NOTICE };
    const record = turn.record(outcome, failure, performance.now(), this.#budget.total);
    yield { type: 'end', record };
  }

  /** Asks the model and carries out its tool calls, until it has answered without one. */
  async *#rounds(
    turn: TurnState,
    isAnswer: boolean,
    signal: AbortSignal,
  ): AsyncGenerator<TurnOutput> {
    for (;;) {
      const tools = this.#toolsFor(turn);
      const toolCalls = yield* this.#ask(turn, tools, signal);
      if (toolCalls.length === 0 || tools.length === 0) break;
      yield* this.#callTools(turn, toolCalls);
    }
    if (!turn.hasSpoken) throw new ModelFailure('faulty', 'tool calls without a word');
    this.#keep(turn.text);
    turn.text = '';
    turn.isAnswered = true;
    if (isAnswer && !this.#model.hasTools) yield* this.#findProgress(signal);
  }

  async *#ask(
    turn: TurnState,
    tools: readonly ToolDefinition[],
    signal: AbortSignal,
  ): AsyncGenerator<TurnOutput, readonly ToolCall[]> {
    const question = { ...this.#question(), tools, mayBeEmpty: turn.hasSpoken };
    let toolCalls: readonly ToolCall[] = [];
    for await (const output of this.#session.ask(question, signal)) {
      if (output.type === 'end') ({ toolCalls } = output);
      if (output.type === 'text') {
        yield { type: 'text', text: turn.say(output.text, performance.now()) };
      }
      if (output.type === 'busy') {
        yield* eventOutputs(this.#health.degraded('model_busy', this.#at()));
      }
    }
    return toolCalls;
  }

  *#callTools(turn: TurnState, calls: readonly ToolCall[]): Generator<TurnOutput> {
    if (!this.#machine) return;
    const sentences = new Map<ToolCall, string>();
    let isRefused = false;
    for (const { call, outcome } of carryOut(this.#machine, calls, this.#at())) {
      yield* eventOutputs(outcome.events);
      sentences.set(call, outcome.sentence);
      isRefused ||= outcome.isRefused;
    }
    const results = calls.map((call) => sentences.get(call) ?? '');
    this.#session.history.add({ kind: 'tools', text: turn.text, calls, results });
    turn.text = '';
    turn.toolRounds += 1;
    if (isRefused) turn.refusedRounds += 1;
  }

  /** Finds out the plan's progress where the endpoint refuses tools. The answer stands, whatever happens here. */
  async *#findProgress(signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const machine = this.#machine;
    const isOver = machine?.state.steps.every((step) => step.state === 'done') ?? true;
    if (!machine || isOver || this.#isPlanUnsupported) return;
    const content = progressQuestion(machine.plan, machine.state);
    const last = [{ role: 'user', content }] as const;
    const question = { ...this.#question(), last, wantsJson: true, mayBeEmpty: true };
    let text = '';
    for await (const output of this.#session.ask(question, signal)) {
      if (output.type === 'text') text += output.text;
    }
    const calls = progressCalls(text, machine.state);
    for (const { outcome } of carryOut(machine, calls ?? [], this.#at())) {
      yield* eventOutputs(outcome.events);
    }
    if (calls || this.#model.hasJson) return;
    this.#isPlanUnsupported = true;
    const message = PLAN_UNSUPPORTED_NOTICE;
    yield* eventOutputs([agentStateEvent(this.#at(), { state: 'plan_unsupported', message })]);
  }

  #toolsFor({ toolRounds, refusedRounds }: TurnState): ToolDefinition[] {
    const mayCall = toolRounds < MAX_TOOL_ROUNDS && refusedRounds <= MAX_REPAIRS;
    if (!this.#machine || !mayCall || !this.#model.hasTools) return [];
    return planTools(this.#machine.plan, this.#machine.state);
  }

  #question(): Question {
    const progress = this.#machine && { plan: this.#machine.plan, state: this.#machine.state };
    return {
      system: systemPrompt(this.#settings.persona, progress, this.#now()),
      data: progress ? storedValues(progress.state) : [],
    };
  }

  *#report(failure: ModelFailure, hasSpoken: boolean): Generator<TurnOutput> {
    yield* eventOutputs(this.#health.failed(failure, this.#at()));
    const { reason } = FAILURES[failure.kind];
    yield { type: 'notice', text: hasSpoken ? TRUNCATED_NOTICE : NOTICES[reason] };
  }

  /** Says words of the template. */
  *#say(text: string): Generator<TurnOutput> {
    const turn = new TurnState(performance.now(), this.#budget.total);
    if (text !== '') yield { type: 'text', text: this.#keep(turn.say(text, performance.now())) };
    yield {
      type: 'end',
      record: turn.record('complete', undefined, performance.now(), this.#budget.total),
    };
  }

  /** Keeps in the history what was said. */
  #keep(text: string, isInterrupted = false): string {
    if (text.trim() !== '') this.#session.history.add({ kind: 'answer', text, isInterrupted });
    return text;
  }

  #at(): string {
    return this.#now().toISOString();
  }
}

/** Returns why the model failed, or undefined when the turn was interrupted. Throws every other error. */
function failureOf(error: unknown, signal: AbortSignal): ModelFailure | undefined {
  if (signal.aborted) return undefined;
  if (error instanceof ModelFailure) return error;
  throw error;
}

function* eventOutputs(events: readonly AgentEvent[]): Generator<TurnOutput> {
  for (const event of events) yield { type: 'event', event };
}
