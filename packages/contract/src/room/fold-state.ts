import { type AgentReport, agentReportOf, type FoldableMessage } from './agent-report.ts';
import { isText } from './fields.ts';
import { type FoldingPlans, foldDeliverable, foldTodoList, planStates } from './fold-plans.ts';
import type { PlanState } from './plan-state.ts';

/** A notification about a moment, after which the agent is in the same state as before. */
const MOMENT = 'interrupted';

interface FoldedAgent {
  readonly participant: string;
  readonly state: string;
  readonly reason: string | null;
  readonly message: string;
  readonly at: string;
}

export interface FoldedState {
  readonly asOf: string | null;
  readonly plans: readonly PlanState[];
  readonly agents: readonly FoldedAgent[];
}

/**
 * Returns the state after `messages`, which are in the order of the history. Pure. Ignores messages that do not fit, or
 * that no agent sent.
 */
export function foldState(messages: Iterable<FoldableMessage>): FoldedState {
  const plans: FoldingPlans = new Map();
  const agents = new Map<string, FoldedAgent>();
  let asOf: string | null = null;
  for (const message of messages) {
    asOf = message.timestamp;
    const report = agentReportOf(message);
    if (report?.kind === 'complete_todo_list') foldTodoList(plans, report);
    if (report?.kind === 'plan_deliverable_update') foldDeliverable(plans, report);
    if (report?.kind === 'state_change_notification') foldAgentState(agents, report);
  }
  return { asOf, plans: planStates(plans), agents: Array.from(agents.values()) };
}

function foldAgentState(
  agents: Map<string, FoldedAgent>,
  { sender, payload, message, at }: AgentReport,
): void {
  const { state, reason } = payload;
  if (!isText(state) || state === MOMENT) return;
  agents.delete(sender);
  agents.set(sender, {
    participant: sender,
    state,
    reason: isText(reason) ? reason : null,
    message,
    at,
  });
}
