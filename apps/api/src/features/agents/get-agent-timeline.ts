import { AgentTimeline } from '@session/contract';
import type { AgentRow, AgentTimes } from '@session/db';
import { agentIdentity } from '@session/media';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentParams } from './agent-schema.ts';

type Step = AgentTimeline['items'][number];

/** `GET /agents/:agentId/timeline`: the steps of the agent's life, from its request to its end. */
export function getAgentTimeline(app: ZodApp, { agents, agentTimeline, authorize }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'getAgentTimeline',
    summary: 'List the steps of an agent’s life',
    problems: ['not_found'] as const,
    params: agentParams,
    response: { 200: AgentTimeline },
  };
  app.get('/agents/:agentId/timeline', { schema }, async ({ userId, params: { agentId: id } }) => {
    const agent = await authorize(userId, 'read', await agents.findAgent({ id, userId }));
    const identity = agentIdentity({ role: agent.role, agentId: id });
    return { items: stepsOf(agent, await agentTimeline.findAgentTimes(id, identity)) };
  });
}

function stepsOf(agent: AgentRow, times: AgentTimes | undefined): Step[] {
  const known = [
    ['requested', agent.createdAt, agent.role],
    ['admitted', agent.startedAt, null],
    ['scheduled', times?.scheduledAt, null],
    ['started', times?.programStartedAt, null],
    ['joined', agent.runningAt, null],
    ['first_words', times?.firstWordsAt, null],
    ['stopped', agent.stoppedAt, agent.reason],
  ] as const;
  const steps: Step[] = [];
  for (const [event, at, detail] of known) {
    if (!at) continue;
    // A cluster reports times to the second only: a step may seem to be earlier than the step before it.
    const previousAt = steps.at(-1)?.at;
    const isEarly = previousAt !== undefined && at < previousAt;
    steps.push({ event, at: isEarly ? previousAt : at, detail });
  }
  return steps;
}
