import { agentStateEvent } from '../plan/plan-event.ts';
import type { PlanMachine } from '../plan/plan-machine.ts';
import type { Question } from './model-session.ts';
import { PLAN_UNSUPPORTED_NOTICE } from './notices.ts';
import { progressCalls, progressQuestion } from './plan-by-json.ts';
import { carryOut } from './tool-round.ts';
import { eventOutputs, type TurnOutput } from './turn-output.ts';
import type { TurnParts } from './turn-parts.ts';

export class ProgressFinder {
  readonly #parts: TurnParts;
  readonly #machine: PlanMachine;
  #isPlanUnsupported = false;

  constructor(parts: TurnParts, machine: PlanMachine) {
    this.#parts = parts;
    this.#machine = machine;
  }

  async *find(question: Question, signal: AbortSignal): AsyncGenerator<TurnOutput> {
    const machine = this.#machine;
    const isOver = machine.state.steps.every((step) => step.state === 'done');
    if (isOver || this.#isPlanUnsupported) return;
    const content = progressQuestion(machine.plan, machine.state);
    const last = [{ role: 'user', content }] as const;
    const asked = { ...question, last, wantsJson: true, mayBeEmpty: true };
    let text = '';
    for await (const output of this.#parts.session.ask(asked, signal)) {
      if (output.type === 'text') text += output.text;
    }
    const calls = progressCalls(text, machine.state);
    const { history } = this.#parts.session;
    for (const { outcome } of carryOut(machine, calls ?? [], { at: this.#parts.at(), history })) {
      yield* eventOutputs(outcome.events);
    }
    if (calls || this.#parts.model.hasJson) return;
    this.#isPlanUnsupported = true;
    const message = PLAN_UNSUPPORTED_NOTICE;
    const event = agentStateEvent(this.#parts.at(), { state: 'plan_unsupported', message });
    yield* eventOutputs([event]);
  }
}
