import type { TakenOver } from '@session/contract';
import type { AgentEvent, PlanState } from '@session/contract/room';
import type { Model } from '../model/model.ts';
import type { Plan } from '../plan/plan.ts';
import { agentStateEvent, takenOverEvent } from '../plan/plan-event.ts';
import { PlanMachine } from '../plan/plan-machine.ts';
import type { PromptHistory } from '../prompt/history.ts';
import type { HistoryEntry } from '../prompt/history-entry.ts';
import { Overheard } from '../prompt/overheard.ts';
import type { ConversationSettings } from '../settings/settings.ts';
import type { EarlierCall } from '../tools/earlier-calls.ts';
import type { OwnToolSettings } from '../tools/own-tool-settings.ts';
import type { ToolBox } from '../tools/tool-box.ts';
import { CallBudget } from './call-budget.ts';
import { ModelHealth } from './health.ts';
import { ModelSession } from './model-session.ts';
import {
  GREETING_REQUEST,
  NOBODY_CAME_REQUEST,
  NUDGE_REQUEST,
  OPERATOR_CAME_NOTE,
  OPERATOR_LEFT_NOTE,
  refusedRequest,
} from './notices.ts';
import { OwnTools } from './own-tools.ts';
import { setPhrasesOf } from './set-phrases.ts';
import { ToolCaller } from './tool-caller.ts';
import type { TurnOutput, UserText } from './turn-output.ts';
import type { TurnParts } from './turn-parts.ts';
import { TurnRunner } from './turn-runner.ts';
import type { ConversationAct } from './turn-state.ts';

export interface ConversationCoreOptions {
  readonly settings: Pick<ConversationSettings, 'model' | 'persona'>;
  readonly model: Model;
  readonly sessionId: string;
  readonly plan?: Plan | undefined;
  readonly history?: readonly HistoryEntry[];
  readonly planState?: PlanState | undefined;
  readonly tools?: ToolBox | undefined;
  readonly ownTools?: OwnToolSettings | undefined;
  /** Calls of an earlier process, which the history has as notes. */
  readonly earlierCalls?: readonly EarlierCall[];
  readonly takenOver?: TakenOver | undefined;
  readonly report?: (event: AgentEvent) => void;
  readonly now?: () => Date;
  readonly clock?: () => number;
}

/**
 * A conversation that may follow a plan, without a room: users' texts go in, words and events come out. One turn runs at a
 * time: to interrupt it, abort its signal and read it to its end. Send each output before you take the next one.
 *
 * From texts to words: turn-runner.ts limits the turn and apologises, model-rounds.ts asks the model and carries out tools,
 * model-session.ts fits the history into the prompt, and model-client.ts sends the request.
 */
export class ConversationCore implements AsyncDisposable {
  readonly #parts: TurnParts;
  readonly #turns: TurnRunner;
  readonly #takenOver: TakenOver | undefined;
  /**
   * What users said to other agents, and those agents' answers, since the last turn began. It is separate, so that the answer
   * of a running turn keeps its place in the history. It may fill half of a prompt.
   */
  readonly #overheard: Overheard;

  constructor(options: ConversationCoreOptions) {
    const { settings, model, sessionId, plan, planState, history = [] } = options;
    const { now = () => new Date(), clock = () => performance.now() } = options;
    const { persona } = settings;
    const { tools, ownTools, earlierCalls = [], report = () => {} } = options;
    const at = () => now().toISOString();
    const machine = plan && new PlanMachine(plan, sessionId, planState);
    const budget = new CallBudget(settings.model.budgetTokens, clock);
    const session = new ModelSession(model, settings.model, budget);
    for (const entry of history) session.history.add(entry);
    this.#overheard = new Overheard(() => session.historyBytes / 2);
    this.#parts = {
      persona,
      phrases: setPhrasesOf(persona),
      model,
      turnMs: settings.model.turnMs,
      session,
      machine,
      tools:
        tools &&
        new ToolCaller({
          box: tools,
          history: session.history,
          earlier: earlierCalls,
          step: () => machine?.state.steps.find((step) => step.state === 'active')?.id,
          at,
          clock,
          report,
        }),
      ownTools: new OwnTools(ownTools ?? { endConversation: false }),
      health: new ModelHealth(),
      budget,
      now,
      at,
      clock,
    };
    this.#turns = new TurnRunner(this.#parts);
    this.#takenOver = options.takenOver;
  }

  get planState(): PlanState | undefined {
    return this.#parts.machine?.state;
  }

  get isRefusedForGood(): boolean {
    return this.#parts.health.isRefusedForGood;
  }

  /**
   * When, by the option `clock`, to call `answer` without new texts, because earlier texts got neither an answer nor an
   * apology.
   */
  get retryAt(): number | undefined {
    return this.#turns.retryAt;
  }

  get usage(): CallBudget['total'] {
    return this.#parts.budget.total;
  }

  /**
   * True once the farewell has been said, because the template's tokens are used up. A later turn says it if a summary, a
   * handover, or a turn without a word used the last tokens, if the farewell was lost, or if an operator came.
   */
  get isBudgetSpent(): boolean {
    return this.#turns.hasSaidFarewell;
  }

  begin(): AgentEvent[] {
    const at = this.#parts.at();
    const ready = agentStateEvent(at, { state: 'ready', message: 'I am ready.' });
    const { machine, health, tools } = this.#parts;
    const taken = this.#takenOver ? [takenOverEvent(at, this.#takenOver)] : [];
    return [ready, ...taken, ...(machine?.begin(at) ?? []), ...health.tools(tools?.fault, at)];
  }

  async *greet(signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const { greeting } = this.#parts.persona;
    const history = this.#upToDate();
    if (greeting !== undefined) {
      yield* this.#turns.say(greeting === 'off' ? '' : greeting);
      return;
    }
    history.add({ kind: 'request', text: GREETING_REQUEST });
    for await (const output of this.#turns.run(false, signal)) {
      const isFailed = output.type === 'end' && output.record.outcome === 'failed';
      if (isFailed) {
        history.addAnswer(this.#parts.phrases.greeting);
        yield { type: 'text', text: this.#parts.phrases.greeting };
        yield { type: 'answered', ending: 'whole' };
      }
      yield output;
    }
  }

  async *nudge(signal: AbortSignal): AsyncGenerator<TurnOutput> {
    this.#upToDate().add({ kind: 'request', text: NUDGE_REQUEST });
    yield* this.#turns.run(false, signal);
  }

  async *answer(texts: readonly UserText[], signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const history = this.#upToDate();
    for (const text of texts) history.add({ kind: 'user', ...text });
    yield* this.#turns.run(true, signal);
  }

  /**
   * Continues after a handover for which nobody came, and answers what users said meanwhile, without handing over again.
   * `refusal`: why the service starts no other agent.
   */
  async *resume(
    texts: readonly UserText[],
    signal: AbortSignal,
    refusal?: string,
  ): AsyncGenerator<TurnOutput> {
    const history = this.#upToDate();
    for (const text of texts) history.add({ kind: 'user', ...text });
    const text = refusal === undefined ? NOBODY_CAME_REQUEST : refusedRequest(refusal);
    history.add({ kind: 'request', text });
    yield* this.#turns.run(true, signal, false);
  }

  /**
   * Returns, once, what the model did to the conversation in the last turn. A turn that ended the conversation has said
   * all of its words; the caller must find out whether people heard them. If those words were lost, repeat the turn
   * first and then call this: the repeated turn says words for the same act.
   */
  takeAct(): ConversationAct | undefined {
    return this.#turns.takeAct();
  }

  /**
   * Notes that an operator has joined, who answers the texts that are still unanswered, or that all operators have
   * left.
   */
  noteOperator(isPresent: boolean): void {
    this.#turns.noteOperator(isPresent);
    this.#overheard.add({
      kind: 'note',
      text: isPresent ? OPERATOR_CAME_NOTE : OPERATOR_LEFT_NOTE,
    });
  }

  /**
   * Notes that the output of the last turn could not be sent completely. The farewell comes at the end, so it may be
   * lost.
   */
  noteLost(): void {
    this.#turns.noteLost();
  }

  /** Cuts the newest answer to `heard`, the words of it that people heard or saw. Call it after the turn. */
  cutAnswer(heard: string): void {
    this.#parts.session.history.cutAnswer(heard);
  }

  overhear(text: UserText): void {
    this.#overheard.add({ kind: 'user', ...text, isOverheard: true });
  }

  overhearAnswer(text: string): void {
    this.#overheard.add({ kind: 'answer', text, isInterrupted: false });
  }

  get callsEnded(): Promise<unknown> {
    return this.#parts.tools?.ended ?? Promise.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.tools?.[Symbol.asyncDispose]();
    await this.#parts.session[Symbol.asyncDispose]();
  }

  #upToDate(): PromptHistory {
    const { history } = this.#parts.session;
    for (const entry of this.#overheard.takeAll()) history.add(entry);
    history.beginAnswer();
    return history;
  }
}
