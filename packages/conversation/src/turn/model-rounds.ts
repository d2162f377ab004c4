import type { ToolCall } from '../model/chat-message.ts';
import { ModelFailure } from '../model/model-failure.ts';
import { planTools, type ToolDefinition } from '../plan/plan-tools.ts';
import { storedValues, systemPrompt } from '../prompt/system-prompt.ts';
import type { Question } from './model-session.ts';
import { ProgressFinder } from './progress-finder.ts';
import { carryOut } from './tool-round.ts';
import { eventOutputs, type TurnOutput } from './turn-output.ts';
import type { TurnParts } from './turn-parts.ts';
import type { TurnState } from './turn-state.ts';

const MAX_TOOL_ROUNDS = 4;
const MAX_REPAIRS = 2;

type RoundOutput = TurnOutput | { readonly type: 'retry' };

export class ModelRounds {
  readonly #parts: TurnParts;
  readonly #progress: ProgressFinder | undefined;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#progress = parts.machine && new ProgressFinder(parts, parts.machine);
  }

  /**
   * Asks the model and carries out its tool calls until it answers without any. `isAnswer`: users spoke, so the plan may have
   * progressed.
   */
  async *run(turn: TurnState, isAnswer: boolean, signal: AbortSignal): AsyncGenerator<RoundOutput> {
    for (;;) {
      const tools = this.#toolsFor(turn);
      const toolCalls = yield* this.#ask(turn, tools, signal);
      if (toolCalls.length === 0 || tools.length === 0) break;
      yield* this.#callTools(turn, toolCalls);
    }
    if (!turn.hasSpoken) throw new ModelFailure('faulty', 'tool calls without a word');
    this.#parts.session.history.addAnswer(turn.text, turn.isCut);
    turn.text = '';
    turn.isAnswered = true;
    yield { type: 'answered', ending: turn.isCut ? 'truncated' : 'whole' };
    if (isAnswer && this.#progress && !this.#parts.model.hasTools) {
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
    for await (const output of this.#parts.session.ask(question, signal)) {
      if (output.type === 'end') {
        ({ toolCalls } = output);
        turn.isCut = output.isCut;
      }
      if (output.type === 'text') {
        yield { type: 'text', text: turn.say(output.text, performance.now()) };
      }
      if (output.type === 'retry') {
        if (output.isNewlyBusy) {
          yield* eventOutputs(this.#parts.health.degraded('model_busy', this.#parts.at()));
        }
        yield { type: 'retry' };
      }
    }
    return toolCalls;
  }

  *#callTools(turn: TurnState, calls: readonly ToolCall[]): Generator<TurnOutput> {
    const { machine, session, at } = this.#parts;
    if (!machine) return;
    const sentences = new Map<ToolCall, string>();
    let isRefused = false;
    const { history } = session;
    for (const { call, outcome } of carryOut(machine, calls, { at: at(), history })) {
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
    const { machine, model } = this.#parts;
    if (!machine || !mayCall || !model.hasTools) return [];
    return planTools(machine.plan, machine.state);
  }

  #question(): Question {
    const { persona, machine, now } = this.#parts;
    const progress = machine && { plan: machine.plan, state: machine.state };
    return {
      system: systemPrompt(persona, progress, now()),
      data: progress ? storedValues(progress.state) : [],
    };
  }
}
