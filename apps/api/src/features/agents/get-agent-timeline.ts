import { AgentTimeline } from '@session/contract';
import type { AgentRow, AgentTimes } from '@session/db';
import { agentIdentity } from '@session/media';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentParams } from './agent-schema.ts';

type Step = AgentTimeline['items'][number];

/** `GET /agents/:agentId/timeline`: what has happened to the agent, from its request to its end. */
export function getAgentTimeline(app: ZodApp, { agents, agentTimeline, authorize }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'getAgentTimeline',
    summary: 'What has happened to an agent, step by step',
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
    // A cluster tells times to the second only: what it says of a step can lie before the one that led to it.
    const before = steps.at(-1)?.at;
    const isEarly = before !== undefined && at < before;
    steps.push({ event, at: isEarly ? before : at, detail });
  }
  return steps;
}
