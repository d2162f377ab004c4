import { isDeepStrictEqual } from 'node:util';
import { oneLine } from '../clean-text.ts';
import { canonicalValue } from './canonical-value.ts';
import type { DeliverableState, PlanState, StepState } from './fold-state.ts';
import { deliverablesOf, type Plan } from './plan.ts';
import {
  type AgentEvent,
  deliverableEvent,
  type EventContext,
  stepEvent,
  todoListEvent,
} from './plan-event.ts';

/** What a tool call did. `sentence` goes back to the model; the events go into the room before that. */
export interface ToolOutcome {
  readonly isRefused: boolean;
  readonly sentence: string;
  readonly events: readonly AgentEvent[];
}

type Arguments = Readonly<Record<string, unknown>>;

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
  /** The events that the room lacks: all of a new plan's, and those of a plan that changed since it was stored. */
  readonly #isNewToRoom: boolean;

  /** `stored` is the plan's state as folded from the history, when there is one. `sessionId` is a UUID. */
  constructor(plan: Plan, sessionId: string, stored?: PlanState) {
    this.plan = plan;
    this.#sessionId = sessionId;
    const state = stored ? restoredState(plan, stored) : initialState(plan);
    this.#isNewToRoom = !stored || !sameSteps(state.steps, stored.steps);
    this.#state = this.#isNewToRoom ? { ...state, revision: state.revision + 1 } : state;
  }

  get state(): PlanState {
    return this.#state;
  }

  /** Returns the events that begin the plan; none when the room has them from before a restart. */
  begin(at: string): AgentEvent[] {
    if (!this.#isNewToRoom) return [];
    return this.#stepEvents({ sessionId: this.#sessionId, at }, 'step_started');
  }

  /** Carries out a tool call; the proposed arguments may be anything. Refuses with one sentence that says what is allowed. */
  call(name: string, proposed: unknown, at: string): ToolOutcome {
    const context = { sessionId: this.#sessionId, at };
    const args: Arguments = isArguments(proposed) ? proposed : {};
    if (name === 'set_deliverable') return this.#setDeliverable(args, context);
    if (name === 'complete_step') return this.#completeStep(args, context);
    if (name === 'reopen_step') return this.#reopenStep(args, context);
    return refused('The tool must be one of: set_deliverable, complete_step, reopen_step.');
  }

  #setDeliverable(args: Arguments, context: EventContext): ToolOutcome {
    const known = deliverablesOf(this.plan);
    const found = known.find(({ deliverable }) => deliverable.id === args['deliverable']);
    if (!found) {
      const ids = known.map(({ deliverable }) => deliverable.id);
      if (ids.length === 0) return refused('This plan has no deliverables.');
      return refused(`deliverable must be one of: ${ids.join(', ')}.`);
    }
    const { id } = found.deliverable;
    const canonical = canonicalValue(found.deliverable, args['value']);
    if (canonical.value === undefined) return refused(`value of ${id} ${canonical.rule}.`);
    const before = this.#state.deliverables.find((deliverable) => deliverable.id === id);
    if (before?.value === canonical.value) return accepted(`${id} has this value already.`);
    const { value } = canonical;
    const version = (before?.version ?? 0) + 1;
    const set = {
      id,
      title: titleOf(found.deliverable),
      step: found.step,
      value,
      version,
      at: context.at,
    };
    this.#state = {
      ...this.#state,
      revision: this.#state.revision + 1,
      deliverables: withDeliverable(this.#state.deliverables, set),
    };
    return accepted(`${id} is set.`, [deliverableEvent(this.#state, context, set)]);
  }

  #completeStep(args: Arguments, context: EventContext): ToolOutcome {
    const { steps, deliverables } = this.#state;
    const active = steps.find((step) => step.state === 'active');
    const asked = steps.find((step) => step.id === args['step']);
    if (asked?.state === 'done') return accepted(`${asked.id} is done already.`);
    if (!active) return refused('All steps are done already.');
    if (asked !== active) return refused(`step must be one of: ${active.id}.`);
    const needed = this.plan.steps.find((step) => step.id === active.id)?.deliverable;
    if (needed?.required && !deliverables.some(({ id }) => id === needed.id)) {
      return refused(`${active.id} needs ${needed.id} first: call set_deliverable with its value.`);
    }
    const done = steps.map((step) =>
      step === active ? { ...step, state: 'done' as const, completedAt: context.at } : step,
    );
    this.#changeSteps(activateNext(done));
    return accepted(`${active.id} is done.`, this.#stepEvents(context, 'step_started'));
  }

  #reopenStep(args: Arguments, context: EventContext): ToolOutcome {
    const { steps } = this.#state;
    const asked = steps.find((step) => step.id === args['step']);
    if (asked?.state === 'active') return accepted(`${asked.id} is the current step already.`);
    if (asked?.state !== 'done') {
      const done = steps.filter((step) => step.state === 'done').map(({ id }) => id);
      if (done.length === 0) return refused('No step is done, so none can be reopened.');
      return refused(`step must be one of: ${done.join(', ')}.`);
    }
    this.#changeSteps(
      steps.map((step) => {
        if (step === asked) return { id: step.id, title: step.title, state: 'active' };
        return step.state === 'active' ? { ...step, state: 'pending' } : step;
      }),
    );
    const why = typeof args['reason'] === 'string' ? args['reason'] : '';
    const events = this.#stepEvents(context, 'step_reopened', why);
    return accepted(`${asked.id} is the current step again.`, events);
  }

  #changeSteps(steps: readonly StepState[]): void {
    this.#state = { ...this.#state, revision: this.#state.revision + 1, steps };
  }

  #stepEvents(
    context: EventContext,
    state: 'step_started' | 'step_reopened',
    why = '',
  ): AgentEvent[] {
    const step = this.#state.steps.find((candidate) => candidate.state === 'active');
    const change = step ? { state, step, why } : { state: 'plan_completed' as const };
    return [todoListEvent(this.#state, context), stepEvent(this.#state, context, change)];
  }
}

function initialState({ id, name, steps }: Plan): PlanState {
  const pending = steps.map((step) => ({
    id: step.id,
    title: titleOf(step),
    state: 'pending' as const,
  }));
  return {
    id,
    name: titleOf({ id, title: name }),
    revision: 0,
    steps: activateNext(pending),
    deliverables: [],
  };
}

/**
 * Returns the stored state, as far as it fits the plan, which may have changed since. A step that is new is pending, and
 * values that a deliverable's type no longer allows are dropped.
 */
function restoredState(plan: Plan, stored: PlanState): PlanState {
  const initial = initialState(plan);
  const known = new Map(stored.steps.map((step) => [step.id, step]));
  const steps = initial.steps.map((step): StepState => {
    const { state = 'pending', completedAt } = known.get(step.id) ?? {};
    return { ...step, state, ...(state === 'done' && completedAt && { completedAt }) };
  });
  const active = steps.find((step) => step.state === 'active');
  const single = steps.map(
    (step): StepState =>
      step.state === 'active' && step !== active ? { ...step, state: 'pending' } : step,
  );
  const planned = new Map(deliverablesOf(plan).map((item) => [item.deliverable.id, item]));
  const deliverables = stored.deliverables.flatMap((held): DeliverableState[] => {
    const found = planned.get(held.id);
    const canonical = found && canonicalValue(found.deliverable, held.value).value;
    if (!found || canonical !== held.value) return [];
    return [{ ...held, title: titleOf(found.deliverable), step: found.step }];
  });
  return {
    ...initial,
    revision: stored.revision,
    steps: active ? single : activateNext(single),
    deliverables,
  };
}

/** A title may consist of control characters alone, and an event's title is never empty. */
function titleOf({ id, title }: { readonly id: string; readonly title: string }): string {
  return oneLine(title) || id;
}

/** Makes the earliest step active that is not done, if no step is. */
function activateNext(steps: readonly StepState[]): StepState[] {
  const next = steps.findIndex((step) => step.state !== 'done');
  return steps.map((step, index) => (index === next ? { ...step, state: 'active' } : step));
}

function withDeliverable(
  deliverables: readonly DeliverableState[],
  set: DeliverableState,
): DeliverableState[] {
  const isKnown = deliverables.some(({ id }) => id === set.id);
  if (!isKnown) return [...deliverables, set];
  return deliverables.map((deliverable) => (deliverable.id === set.id ? set : deliverable));
}

function sameSteps(left: readonly StepState[], right: readonly StepState[]): boolean {
  return isDeepStrictEqual(left.map(withoutTime), right.map(withoutTime));
}

function withoutTime({ id, title, state }: StepState): Partial<StepState> {
  return { id, title, state };
}

function accepted(sentence: string, events: readonly AgentEvent[] = []): ToolOutcome {
  return { isRefused: false, sentence, events };
}

function refused(sentence: string): ToolOutcome {
  return { isRefused: true, sentence, events: [] };
}

function isArguments(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
