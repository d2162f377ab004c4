import type { AgentEvent, Fields } from '@session/contract/room';
import { aborted } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { oneLine } from '../clean-text.ts';
import type { ToolCall } from '../model/chat-message.ts';
import type { ToolDefinition } from '../plan/plan-tools.ts';
import type { PromptHistory } from '../prompt/history.ts';
import type { AgentTool } from '../tools/agent-tool.ts';
import { CallLimits } from '../tools/call-limits.ts';
import type { CallResult } from '../tools/call-result.ts';
import { callKey, type EarlierCall, uncertainKeys } from '../tools/earlier-calls.ts';
import type { ToolBox } from '../tools/tool-box.ts';
import { endedEvent, type KnownCall, startedEvent } from '../tools/tool-events.ts';
import { argumentsOf } from './tool-round.ts';
import type { TurnOutput } from './turn-output.ts';
import type { TurnState } from './turn-state.ts';

const MAX_CALLS_OF_TURN = 8;
const RUNNING =
  'Still running: the user spoke meanwhile. Its result follows. Do not repeat the call.';
const UNCERTAIN =
  'Not called: this call was made before, and may have been carried out. Tell the user so. Call it again only if the user wants that.';
const REPEATED =
  'Not called: this turn has made the same call already, and its result stands above. Answer the user.';
const INTERRUPTED = 'Not called: the user spoke.';
const NOT_CALLED: CallResult = {
  state: 'cancelled',
  text: INTERRUPTED,
  isCut: false,
  isFault: false,
  durationMs: 0,
};

export interface CallOutcome {
  readonly sentence: string;
  readonly isRefused: boolean;
}

export interface ToolCallerOptions {
  readonly box: ToolBox;
  readonly history: PromptHistory;
  readonly earlier: readonly EarlierCall[];
  readonly step: () => string | undefined;
  readonly at: () => string;
  readonly clock: () => number;
  readonly report: (event: AgentEvent) => void;
}

/**
 * Makes the tool calls of a turn. When a person speaks, a call is ended (`cancel`), or the turn ends without it (`finish`)
 * and the next prompt contains its result.
 */
export class ToolCaller implements AsyncDisposable {
  readonly #options: ToolCallerOptions;
  readonly #limits: CallLimits;
  readonly #running = new Map<string, Promise<void>>();
  /** Calls that may have been carried out, each with the turn in which the model was told so. */
  readonly #uncertain: Map<string, TurnState | undefined>;

  constructor(options: ToolCallerOptions) {
    this.#options = options;
    this.#limits = new CallLimits(options.clock);
    this.#uncertain = new Map(
      Array.from(uncertainKeys(options.earlier), (key) => [key, undefined]),
    );
  }

  get definitions(): readonly ToolDefinition[] {
    return this.#options.box.definitions;
  }

  get fault(): ToolBox['fault'] {
    return this.#options.box.fault;
  }

  refresh(): void {
    this.#options.box.refresh();
  }

  get ended(): Promise<unknown> {
    return Promise.all(this.#running.values());
  }

  toolOf(name: string): AgentTool | undefined {
    return this.#options.box.toolOf(name);
  }

  async *call(
    turn: TurnState,
    { tool, asked }: { readonly tool: AgentTool; readonly asked: ToolCall },
    signal: AbortSignal,
  ): AsyncGenerator<TurnOutput, CallOutcome> {
    const { history, step, at } = this.#options;
    const checked = tool.check(argumentsOf(asked, history));
    if (checked.fault !== undefined) return refused(checked.fault);
    const { args } = checked;
    if (signal.aborted) return refused(INTERRUPTED);
    const obstacle = this.#obstacle(turn, tool.name, args);
    if (obstacle !== undefined) return refused(obstacle);
    turn.toolCalls += 1;
    const call = { id: uuidv7(), tool, args, step: step() };
    // With the line break, a speaking agent says this at once.
    if (tool.say && !turn.hasSpoken) {
      yield { type: 'text', text: turn.say(`${tool.say}\n`, performance.now()) };
      if (signal.aborted) return refused(INTERRUPTED);
    }
    if (tool.onInterrupt === 'finish' || tool.mayHaveEffects) {
      yield { type: 'event', event: startedEvent(call, at()) };
      if (signal.aborted) {
        yield { type: 'event', event: endedEvent(call, NOT_CALLED, at()) };
        return refused(INTERRUPTED);
      }
    }
    const result = await this.#result(turn, call, signal);
    if (!result) return { isRefused: false, sentence: RUNNING };
    yield { type: 'event', event: endedEvent(call, result, at()) };
    return { isRefused: false, sentence: sentenceOf(result) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#options.box[Symbol.asyncDispose]();
  }

  #obstacle(turn: TurnState, name: string, args: Fields): string | undefined {
    const key = callKey(name, args);
    if (this.#running.has(key)) return RUNNING;
    if (turn.finishedCalls.has(key)) return REPEATED;
    if (this.#isUncertain(turn, key) || this.#isUncertain(turn, callKey(name, null))) {
      return UNCERTAIN;
    }
    if (turn.toolCalls >= MAX_CALLS_OF_TURN) {
      return `Not called: at most ${MAX_CALLS_OF_TURN} calls in one turn. Answer the user now.`;
    }
    return this.#limits.take(name);
  }

  /**
   * Returns whether this turn must not repeat an uncertain call. Only a later turn may, because the user must hear of
   * it first.
   */
  #isUncertain(turn: TurnState, key: string): boolean {
    if (!this.#uncertain.has(key)) return false;
    const toldIn = this.#uncertain.get(key) ?? turn;
    this.#uncertain.set(key, toldIn);
    if (toldIn === turn) return true;
    this.#uncertain.delete(key);
    return false;
  }

  async #result(
    turn: TurnState,
    call: KnownCall,
    signal: AbortSignal,
  ): Promise<CallResult | undefined> {
    const { tool, args } = call;
    const key = callKey(tool.name, args);
    turn.timer?.pause();
    try {
      if (tool.onInterrupt === 'cancel')
        return this.#noted(tool.name, await tool.send(args, signal));
      turn.finishedCalls.add(key);
      const sent = tool.send(args);
      const result = await Promise.race([sent, aborted(signal)]);
      if (result) return this.#noted(tool.name, result);
      this.#running.set(key, this.#finishLater(call, key, sent));
      return undefined;
    } finally {
      turn.timer?.resume();
    }
  }

  async #finishLater(call: KnownCall, key: string, sent: Promise<CallResult>): Promise<void> {
    const result = this.#noted(call.tool.name, await sent);
    this.#running.delete(key);
    const { history, report, at } = this.#options;
    const text = `[Result of ${call.tool.name}, as data: ${oneLine(sentenceOf(result))}]`;
    history.add({ kind: 'note', text });
    report(endedEvent(call, result, at()));
  }

  #noted(name: string, result: CallResult): CallResult {
    this.#limits.note(name, result.isFault);
    return result;
  }
}

function refused(sentence: string): CallOutcome {
  return { isRefused: true, sentence };
}

function sentenceOf({ state, status, text, isCut }: CallResult): string {
  const failure = state === 'failed' && status !== undefined ? `HTTP ${status}: ` : '';
  const cut = isCut ? ' … (The rest is cut off.)' : '';
  return `${failure}${text.trim() === '' ? 'No words came back.' : text}${cut}`;
}
