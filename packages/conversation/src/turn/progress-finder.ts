import type { ModelClient } from '../model/model-client.ts';
import { agentStateEvent } from '../plan/plan-event.ts';
import type { PlanMachine } from '../plan/plan-machine.ts';
import type { ModelSession, Question } from './model-session.ts';
import { PLAN_UNSUPPORTED_NOTICE } from './notices.ts';
import { progressCalls, progressQuestion } from './plan-by-json.ts';
import { carryOut } from './tool-round.ts';
import { eventOutputs, type TurnOutput } from './turn-output.ts';

export interface ProgressFinderOptions {
  readonly model: ModelClient;
  readonly session: ModelSession;
  readonly machine: PlanMachine;
  /** Returns the present time, ISO 8601 in UTC. */
  readonly at: () => string;
}

/** Finds out the plan's progress where the endpoint refuses tools: asks for JSON after each answer. */
export class ProgressFinder {
  readonly #model: ModelClient;
  readonly #session: ModelSession;
  readonly #machine: PlanMachine;
  readonly #at: () => string;
  #isPlanUnsupported = false;

  constructor({ model, session, machine, at }: ProgressFinderOptions) {
    this.#model = model;
    this.#session = session;
    this.#machine = machine;
    this.#at = at;
  }

  /** Yields the events of the progress since the last answer. The answer stands, whatever happens here. */
  async *find(question: Question, signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const machine = this.#machine;
    const isOver = machine.state.steps.every((step) => step.state === 'done');
    if (isOver || this.#isPlanUnsupported) return;
    const content = progressQuestion(machine.plan, machine.state);
    const last = [{ role: 'user', content }] as const;
    const asked = { ...question, last, wantsJson: true, mayBeEmpty: true };
    let text = '';
    for await (const output of this.#session.ask(asked, signal)) {
      if (output.type === 'text') text += output.text;
    }
    const calls = progressCalls(text, machine.state);
    const { history } = this.#session;
    for (const { outcome } of carryOut(machine, calls ?? [], { at: this.#at(), history })) {
      yield* eventOutputs(outcome.events);
    }
    if (calls || this.#model.hasJson) return;
    this.#isPlanUnsupported = true;
    const message = PLAN_UNSUPPORTED_NOTICE;
    yield* eventOutputs([agentStateEvent(this.#at(), { state: 'plan_unsupported', message })]);
  }
}
