/** The newest state of a step, as a todo list reports it. */
export interface StepState {
  readonly id: string;
  readonly title: string;
  readonly state: 'pending' | 'active' | 'done';
  readonly completedAt?: string;
}

/** The newest version of a deliverable. `at` is when it was set, ISO 8601 in UTC. */
export interface DeliverableState {
  readonly id: string;
  readonly title: string;
  readonly step: string;
  readonly value: string | number;
  readonly version: number;
  readonly at: string;
}

/** How far a plan is. `revision` counts its changes. */
export interface PlanState {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly steps: readonly StepState[];
  readonly deliverables: readonly DeliverableState[];
}

/** What an agent last reported of itself. */
export interface FoldedAgent {
  readonly participant: string;
  readonly state: string;
  readonly reason: string | null;
  readonly message: string;
  readonly at: string;
}

/** The state of a session. `asOf` is the time of its newest message, or null when it has none. */
export interface FoldedState {
  readonly asOf: string | null;
  readonly plans: readonly PlanState[];
  readonly agents: readonly FoldedAgent[];
}

/** The part of a stored message that the fold reads; a row of the history and the API's `Message` both fit. */
export interface FoldableMessage {
  readonly content: string;
  readonly timestamp: string;
  readonly metadata: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

interface FoldingPlan {
  readonly id: string;
  readonly name: string;
  revision: number;
  readonly steps: readonly StepState[];
  /** Who sent the newest todo list. */
  readonly reporter: string;
  readonly deliverables: Map<string, DeliverableState>;
}

/**
 * Returns the state of a session after `messages`, which are in the order of the history. Pure, and throws for no payload:
 * what does not fit is ignored, and so is every event that no agent sent.
 *
 * A deliverable's event names its step, not its plan. It belongs to the newest plan with this step that its sender
 * reported; when the sender reported none, as after a restart, to the newest plan with this step.
 */
export function foldState(messages: Iterable<FoldableMessage>): FoldedState {
  // A map keeps the order of insertion: each new todo list moves its plan to the end, which is the newest.
  const plans = new Map<string, FoldingPlan>();
  const agents = new Map<string, FoldedAgent>();
  let asOf: string | null = null;
  for (const message of messages) {
    asOf = message.timestamp;
    const sent = agentEventOf(message);
    if (!sent) continue;
    const { sender, kind, payload } = sent;
    if (kind === 'complete_todo_list') foldTodoList(plans, sender, payload);
    if (kind === 'plan_deliverable_update') foldDeliverable(plans, sender, payload, message);
    if (kind === 'state_change_notification') foldAgentState(agents, sender, payload, message);
  }
  return {
    asOf,
    plans: Array.from(plans.values(), ({ id, name, revision, steps, deliverables }) => ({
      id,
      name,
      revision,
      steps,
      deliverables: Array.from(deliverables.values()),
    })),
    agents: Array.from(agents.values()),
  };
}

function foldTodoList(plans: Map<string, FoldingPlan>, sender: string, payload: Fields): void {
  const { plan, revision } = payload;
  const listed = payload['steps'];
  if (!isFields(plan) || !isText(plan['id']) || !isText(plan['name'])) return;
  if (!isCount(revision) || !Array.isArray(listed)) return;
  const steps = listed.map(stepOf);
  if (!steps.every((step) => step !== undefined)) return;
  const id = plan['id'];
  const deliverables = plans.get(id)?.deliverables ?? new Map<string, DeliverableState>();
  plans.delete(id);
  plans.set(id, {
    id,
    name: plan['name'],
    revision,
    steps,
    reporter: sender,
    deliverables,
  });
}

function foldDeliverable(
  plans: Map<string, FoldingPlan>,
  sender: string,
  payload: Fields,
  { timestamp }: FoldableMessage,
): void {
  const { deliverable, step, revision } = payload;
  if (!isFields(deliverable) || !isText(step) || !isCount(revision)) return;
  const { id, title, value, version } = deliverable;
  if (!isText(id) || !isText(title) || !isCount(version)) return;
  if (typeof value !== 'string' && typeof value !== 'number') return;
  const withStep = Array.from(plans.values()).filter(({ steps }) =>
    steps.some((candidate) => candidate.id === step),
  );
  const plan = withStep.findLast(({ reporter }) => reporter === sender) ?? withStep.at(-1);
  if (!plan) return;
  plan.revision = revision;
  const at = timeOf(payload, timestamp);
  plan.deliverables.set(id, { id, title, step, value, version, at });
}

function foldAgentState(
  agents: Map<string, FoldedAgent>,
  participant: string,
  payload: Fields,
  { content, timestamp }: FoldableMessage,
): void {
  const { state, reason } = payload;
  if (!isText(state)) return;
  agents.delete(participant);
  agents.set(participant, {
    participant,
    state,
    reason: isText(reason) ? reason : null,
    message: content,
    at: timeOf(payload, timestamp),
  });
}

function agentEventOf({ metadata }: FoldableMessage) {
  if (!isFields(metadata)) return undefined;
  const { kind, participant, payload } = metadata;
  if (!isFields(participant) || !isFields(payload)) return undefined;
  const sender = participant['identity'];
  if (!isText(sender)) return undefined;
  const isAgent = participant['kind'] === 'agent' || sender.startsWith('agent-');
  return isAgent ? { sender, kind, payload } : undefined;
}

function stepOf(listed: unknown): StepState | undefined {
  if (!isFields(listed)) return undefined;
  const { id, title, state, completedAt } = listed;
  if (!isText(id) || !isText(title)) return undefined;
  if (state !== 'pending' && state !== 'active' && state !== 'done') return undefined;
  return { id, title, state, ...(isText(completedAt) && { completedAt }) };
}

function timeOf({ at }: Fields, otherwise: string): string {
  return isText(at) && /^\d{4}-\d\d-\d\dT/.test(at) ? at : otherwise;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
