import { cutText, oneLine } from '../clean-text.ts';
import type { ToolCall } from '../model/chat-message.ts';
import { ModelFailure } from '../model/model-failure.ts';
import { agentStateEvent } from '../plan/plan-event.ts';
import { planTools, type ToolDefinition } from '../plan/plan-tools.ts';
import { storedValues, systemPrompt } from '../prompt/system-prompt.ts';
import type { Question } from './model-session.ts';
import { TOOLS_UNSUPPORTED_NOTICE } from './notices.ts';
import { ProgressFinder } from './progress-finder.ts';
import type { CallOutcome } from './tool-caller.ts';
import { argumentsOf, carryOut } from './tool-round.ts';
import { eventOutputs, type TurnOutput } from './turn-output.ts';
import type { TurnParts } from './turn-parts.ts';
import type { TurnState } from './turn-state.ts';

const MAX_TOOL_ROUNDS = 4;
const MAX_REPAIRS = 2;

type RoundOutput = TurnOutput | { readonly type: 'retry' };

export class ModelRounds {
  readonly #parts: TurnParts;
  readonly #progress: ProgressFinder | undefined;
  #isToldUnsupported = false;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#progress = parts.machine && new ProgressFinder(parts, parts.machine);
  }

  /**
   * Asks the model and carries out its tool calls until it answers without any. `isAnswer`: users spoke, so the plan may have
   * progressed.
   */
  async *run(turn: TurnState, isAnswer: boolean, signal: AbortSignal): AsyncGenerator<RoundOutput> {
    const { tools: toolCaller, ownTools } = this.#parts;
    toolCaller?.refresh();
    yield* this.#tellFault();
    for (;;) {
      const tools = this.#toolsFor(turn);
      const toolCalls = yield* this.#ask(turn, tools, signal);
      yield* this.#tellFault();
      yield* this.#tellUnsupported();
      if (toolCalls.length === 0 || tools.length === 0) break;
      yield* this.#callTools(turn, toolCalls, signal);
      const lastWords = turn.act && ownTools.lastWords(turn.act);
      if (lastWords) yield { type: 'text', text: turn.say(lastWords, performance.now()) };
      if (turn.act && turn.hasSpoken) break;
    }
    if (!turn.hasSpoken) throw new ModelFailure('faulty', 'tool calls without a word');
    this.#parts.session.history.addAnswer(turn.text, turn.isCut);
    turn.text = '';
    turn.isAnswered = true;
    const ending = turn.isCut ? 'truncated' : 'whole';
    // With a voice, the next output is taken only once people have heard the answer, which may take longer than a turn.
    turn.timer?.pause();
    yield { type: 'answered', ending, figures: turn.figures(this.#parts) };
    if (isAnswer && this.#progress && !this.#parts.model.hasTools) {
      turn.timer?.restart();
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

  /**
   * Carries out calls, and adds the round to the history even if a person interrupts it, because its calls have been
   * made.
   */
  async *#callTools(
    turn: TurnState,
    calls: readonly ToolCall[],
    signal: AbortSignal,
  ): AsyncGenerator<TurnOutput> {
    const { machine, session, tools, ownTools, at } = this.#parts;
    const { history } = session;
    const outcomes = new Map<ToolCall, CallOutcome>();
    const own = new Set(ownTools.offered(turn).map(({ name }) => name));
    const others = calls.filter(({ name }) => !tools?.toolOf(name) && !own.has(name));
    const planned = machine ? carryOut(machine, others, { at: at(), history }) : [];
    for (const { call, outcome } of planned) {
      yield* eventOutputs(outcome.events);
      outcomes.set(call, outcome);
    }
    for (const asked of calls) {
      const tool = tools?.toolOf(asked.name);
      if (tools && tool) outcomes.set(asked, yield* tools.call(turn, { tool, asked }, signal));
      else if (own.has(asked.name)) {
        outcomes.set(asked, ownTools.call(turn, asked.name, argumentsOf(asked, history)));
      }
    }
    const found = calls.map((call) => outcomes.get(call) ?? unknownTool(call));
    const results = found.map(({ sentence }) => sentence);
    history.add({ kind: 'tools', text: turn.text, calls, results });
    turn.text = '';
    turn.toolRounds += 1;
    if (found.some(({ isRefused }) => isRefused)) turn.refusedRounds += 1;
    signal.throwIfAborted();
  }

  *#tellFault(): Generator<TurnOutput> {
    const { tools, model, health, at } = this.#parts;
    const fault = model.hasAllTools ? tools?.fault : 'tools_unavailable';
    yield* eventOutputs(health.tools(fault, at()));
  }

  *#tellUnsupported(): Generator<TurnOutput> {
    const { tools, ownTools, model, at } = this.#parts;
    const hasTools = tools !== undefined || ownTools.definitions.length > 0;
    if (!hasTools || model.hasTools || this.#isToldUnsupported) return;
    this.#isToldUnsupported = true;
    const message = TOOLS_UNSUPPORTED_NOTICE;
    yield* eventOutputs([agentStateEvent(at(), { state: 'tools_unsupported', message })]);
  }

  #toolsFor(turn: TurnState): ToolDefinition[] {
    const { toolRounds, refusedRounds, act } = turn;
    const mayCall = toolRounds < MAX_TOOL_ROUNDS && refusedRounds <= MAX_REPAIRS && !act;
    const { machine, model, tools, ownTools } = this.#parts;
    if (!mayCall || !model.hasTools) return [];
    return [
      ...(machine ? planTools(machine.plan, machine.state) : []),
      ...(tools?.definitions ?? []),
      ...ownTools.offered(turn),
    ];
  }

  #question(): Question {
    const { persona, machine, tools, now } = this.#parts;
    const progress = machine && { plan: machine.plan, state: machine.state };
    return {
      system: systemPrompt(persona, progress, now(), tools !== undefined),
      data: progress ? storedValues(progress.state) : [],
    };
  }
}

function unknownTool({ name }: ToolCall): CallOutcome {
  return { isRefused: true, sentence: `There is no tool ${cutText(oneLine(name), 80)}.` };
}
