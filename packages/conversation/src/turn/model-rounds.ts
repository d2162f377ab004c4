import type { ToolCall } from '../model/chat-message.ts';
import type { ModelClient } from '../model/model-client.ts';
import { ModelFailure } from '../model/model-failure.ts';
import type { PlanMachine } from '../plan/plan-machine.ts';
import { planTools, type ToolDefinition } from '../plan/plan-tools.ts';
import { storedValues, systemPrompt } from '../prompt/system-prompt.ts';
import type { Persona } from '../settings/settings.ts';
import type { ModelHealth } from './health.ts';
import type { ModelSession, Question } from './model-session.ts';
import { ProgressFinder } from './progress-finder.ts';
import { carryOut } from './tool-round.ts';
import { eventOutputs, type TurnOutput } from './turn-output.ts';
import type { TurnState } from './turn-state.ts';

const MAX_TOOL_ROUNDS = 4;
/** The model may try again after this many rounds with a refused call. */
const MAX_REPAIRS = 2;

/** An output of a turn, or that an attempt failed and the model is asked again. */
type RoundOutput = TurnOutput | { readonly type: 'retry' };

export interface ModelRoundsOptions {
  readonly persona: Persona;
  readonly model: ModelClient;
  readonly session: ModelSession;
  readonly machine: PlanMachine | undefined;
  readonly health: ModelHealth;
  readonly now: () => Date;
}

/** The rounds of a turn: in each, the model answers, and its tool calls are carried out. */
export class ModelRounds {
  readonly #persona: Persona;
  readonly #model: ModelClient;
  readonly #session: ModelSession;
  readonly #machine: PlanMachine | undefined;
  readonly #health: ModelHealth;
  readonly #now: () => Date;
  readonly #progress: ProgressFinder | undefined;

  constructor({ persona, model, session, machine, health, now }: ModelRoundsOptions) {
    this.#persona = persona;
    this.#model = model;
    this.#session = session;
    this.#machine = machine;
    this.#health = health;
    this.#now = now;
    this.#progress =
      machine && new ProgressFinder({ model, session, machine, at: () => this.#at() });
  }

  /**
   * Asks the model and carries out its tool calls, until it has answered without one. `isAnswer` says that users spoke, so
   * that the plan may have progressed.
   */
  async *run(turn: TurnState, isAnswer: boolean, signal: AbortSignal): AsyncGenerator<RoundOutput> {
    for (;;) {
      const tools = this.#toolsFor(turn);
      const toolCalls = yield* this.#ask(turn, tools, signal);
      if (toolCalls.length === 0 || tools.length === 0) break;
      yield* this.#callTools(turn, toolCalls);
    }
    if (!turn.hasSpoken) throw new ModelFailure('faulty', 'tool calls without a word');
    this.#session.history.addAnswer(turn.text, turn.isCut);
    turn.text = '';
    turn.isAnswered = true;
    yield { type: 'answered', ending: turn.isCut ? 'truncated' : 'whole' };
    if (isAnswer && this.#progress && !this.#model.hasTools) {
      yield* this.#progress.find(this.#question(), signal);
    }
  }

  async *#ask(
    turn: TurnState,
    tools: readonly ToolDefinition[],
    signal: AbortSignal,
  ): AsyncGenerator<RoundOutput, readonly ToolCall[]> {
    const question = { ...this.#question(), tools, mayBeEmpty: turn.hasSpoken };
    let toolCalls: readonly ToolCall[] = [];
    for await (const output of this.#session.ask(question, signal)) {
      if (output.type === 'end') {
        ({ toolCalls } = output);
        turn.isCut = output.isCut;
      }
      if (output.type === 'text') {
        yield { type: 'text', text: turn.say(output.text, performance.now()) };
      }
      if (output.type === 'retry') {
        if (output.isNewlyBusy) {
          yield* eventOutputs(this.#health.degraded('model_busy', this.#at()));
        }
        yield { type: 'retry' };
      }
    }
    return toolCalls;
  }

  *#callTools(turn: TurnState, calls: readonly ToolCall[]): Generator<TurnOutput> {
    if (!this.#machine) return;
    const sentences = new Map<ToolCall, string>();
    let isRefused = false;
    const { history } = this.#session;
    for (const { call, outcome } of carryOut(this.#machine, calls, { at: this.#at(), history })) {
      yield* eventOutputs(outcome.events);
      sentences.set(call, outcome.sentence);
      isRefused ||= outcome.isRefused;
    }
    const results = calls.map((call) => sentences.get(call) ?? '');
    history.add({ kind: 'tools', text: turn.text, calls, results });
    turn.text = '';
    turn.toolRounds += 1;
    if (isRefused) turn.refusedRounds += 1;
  }

  #toolsFor({ toolRounds, refusedRounds }: TurnState): ToolDefinition[] {
    const mayCall = toolRounds < MAX_TOOL_ROUNDS && refusedRounds <= MAX_REPAIRS;
    if (!this.#machine || !mayCall || !this.#model.hasTools) return [];
    return planTools(this.#machine.plan, this.#machine.state);
  }

  #question(): Question {
    const progress = this.#machine && { plan: this.#machine.plan, state: this.#machine.state };
    return {
      system: systemPrompt(this.#persona, progress, this.#now()),
      data: progress ? storedValues(progress.state) : [],
    };
  }

  #at(): string {
    return this.#now().toISOString();
  }
}
