import type { AgentRole } from '@session/agents';
import { OpenHandover, TakenOver } from '@session/contract';
import { agentIdentity, isFields, type PlanState } from '@session/contract/room';
import {
  type AgentRow,
  type DatabaseAccess,
  findNewestHandover,
  findTakenOver,
  listEarlierAgents,
  listNewestToolCalls,
  listNewestWords,
  listStateMessages,
} from '@session/db';
import { foldedState } from '../../sessions/folded-state.ts';
import { conversationVariable, MAX_HISTORY_BYTES, MAX_LINES } from './conversation-variable.ts';
import { earlierCalls, MAX_EVENTS } from './earlier-calls.ts';

/** Returns the beginnings of the identities of agents that do not converse, because their words must not count as answers. */
function notConversing(roles: readonly AgentRole[]): string[] {
  const silent = roles.filter(({ conversation }) => conversation === 'none');
  return silent.map(({ name }) => agentIdentity({ role: name, agentId: '' }));
}

type TalkingAgent = Pick<AgentRow, 'id' | 'agentTemplateId' | 'planId' | 'sessionId'>;

export async function earlierConversation(
  database: DatabaseAccess,
  { id: agentId, sessionId, planId: planTemplateId, agentTemplateId }: TalkingAgent,
  roles: readonly AgentRole[],
): Promise<string | undefined> {
  const words = await listNewestWords(database, {
    sessionId,
    limit: MAX_LINES + 1,
    // One more than a history holds, so that a text that this statement cuts is marked as cut in the history.
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
  const agents = await listEarlierAgents(database, agentId);
  const from = agents.map(({ id, role }) => agentIdentity({ role, agentId: id }));
  const ofAgents = { sessionId, from, limit: MAX_EVENTS };
  const calls = agentTemplateId === null ? [] : await listNewestToolCalls(database, ofAgents);
  // The last one of `agents` is the agent itself.
  const identity = from.at(-1);
  const handover = identity && (await findNewestHandover(database, { sessionId, identity }));
  const { data: openHandover } = OpenHandover.safeParse(handover);
  const takenOver = takenOverOf(await findTakenOver(database, agentId));
  const place = agents.find(({ isPredecessor }) => isPredecessor)?.id;
  const acts = { calls: earlierCalls(calls), openHandover, takenOver, place };
  return conversationVariable(sessionId, words, plan, acts);
}

function takenOverOf(found: Awaited<ReturnType<typeof findTakenOver>>): TakenOver | undefined {
  const { participant, payload } = isFields(found?.metadata) ? found.metadata : {};
  // An erased request has neither a participant nor a payload.
  if (!found || !isFields(participant) || !isFields(payload)) return undefined;
  const { data } = TakenOver.safeParse({ ...payload, id: found.id, from: participant['identity'] });
  return data;
}
