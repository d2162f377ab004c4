import { type AgentEvent, isFields, type PlanState } from '@session/contract/room';
import { completeStep } from './complete-step.ts';
import type { Plan } from './plan.ts';
import { stepEvents } from './plan-event.ts';
import { reopenStep } from './reopen-step.ts';
import { setDeliverable } from './set-deliverable.ts';
import { startingState } from './starting-state.ts';
import { refused, type ToolEffect, type ToolOutcome } from './tool-outcome.ts';

/**
 * The state of one plan in one session. The model only proposes: this class alone changes the state, and each change has
 * its events.
 *
 * - `pending`: the step's turn has not come, or a reopened step is before it.
 * - `active`: the conversation is about this step. Exactly one step is active until all are done, then none is.
 * - `done`: the step was completed; every required deliverable of it had a value then. `reopen_step` makes it active again,
 *   and the step that was active becomes pending. Values stay.
 */
export class PlanMachine {
  readonly plan: Plan;
  readonly #sessionId: string;
  #state: PlanState;
  readonly #isNewToRoom: boolean;

  /** `stored` is the plan's state as folded from the history, if there is one. `sessionId` is a UUID. */
  constructor(plan: Plan, sessionId: string, stored?: PlanState) {
    this.plan = plan;
    this.#sessionId = sessionId;
    const { state, isNewToRoom } = startingState(plan, stored);
    this.#state = state;
    this.#isNewToRoom = isNewToRoom;
  }

  get state(): PlanState {
    return this.#state;
  }

  begin(at: string): AgentEvent[] {
    if (!this.#isNewToRoom) return [];
    return stepEvents(this.#state, { sessionId: this.#sessionId, at }, 'step_started');
  }

  /** Carries out a tool call with arguments of any shape. If the call is refused, one sentence says what is allowed. */
  call(name: string, proposed: unknown, at: string): ToolOutcome {
    const { outcome, state } = this.#effectOf(name, proposed, at);
    if (state) this.#state = state;
    return outcome;
  }

  #effectOf(name: string, proposed: unknown, at: string): ToolEffect {
    const context = { sessionId: this.#sessionId, at };
    const args = isFields(proposed) ? proposed : {};
    if (name === 'set_deliverable') return setDeliverable(this.plan, this.#state, args, context);
    if (name === 'complete_step') return completeStep(this.plan, this.#state, args, context);
    if (name === 'reopen_step') return reopenStep(this.#state, args, context);
    return refused('The tool must be one of: set_deliverable, complete_step, reopen_step.');
  }
}
