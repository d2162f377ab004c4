import type { AgentRole } from '@session/agents';
import type { PlanState } from '@session/contract/room';
import {
  type AgentRow,
  type DatabaseAccess,
  listNewestToolCalls,
  listNewestWords,
  listStateMessages,
} from '@session/db';
import { agentIdentity } from '@session/media/server';
import { foldedState } from '../../sessions/folded-state.ts';
import { conversationVariable, MAX_HISTORY_BYTES, MAX_LINES } from './conversation-variable.ts';
import { earlierCalls, MAX_EVENTS } from './earlier-calls.ts';

/** Identities, without digits, of agents that answer nobody: with their words, earlier texts would count as answered. */
function notConversing(roles: readonly AgentRole[]): string[] {
  const silent = roles.filter(({ conversation }) => conversation === 'none');
  return silent.map(({ name }) => agentIdentity({ role: name, agentId: '' }));
}

type TalkingAgent = Pick<AgentRow, 'agentTemplateId' | 'planId' | 'role' | 'sessionId'>;

/** Returns the variable `CONVERSATION` of an agent that starts now; undefined where nothing was said. It is secret. */
export async function earlierConversation(
  database: DatabaseAccess,
  { sessionId, role, planId: planTemplateId, agentTemplateId }: TalkingAgent,
  roles: readonly AgentRole[],
): Promise<string | undefined> {
  const words = await listNewestWords(database, {
    sessionId,
    limit: MAX_LINES + 1,
    // More than a history has: a word that is cut here is marked as cut there.
    characters: MAX_HISTORY_BYTES + 1,
    exceptFrom: notConversing(roles),
  });
  // The plan of an agent template has the template's id.
  const planId = planTemplateId ?? agentTemplateId;
  const readPlan = async (): Promise<PlanState | undefined> => {
    const { plans } = foldedState(await listStateMessages(database, sessionId));
    return plans.find(({ id }) => id === planId);
  };
  const plan = planId === null ? undefined : await readPlan();
  const ofRole = { sessionId, from: agentIdentity({ role, agentId: '' }), limit: MAX_EVENTS };
  const calls = agentTemplateId === null ? [] : await listNewestToolCalls(database, ofRole);
  return conversationVariable(sessionId, words, plan, earlierCalls(calls));
}
