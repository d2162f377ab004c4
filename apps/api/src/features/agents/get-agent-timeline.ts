import { AgentTimeline, EXTERNAL_ROLE } from '@session/contract';
import { agentIdentity } from '@session/contract/room';
import type { AgentRow, AgentTimes } from '@session/db';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentParams } from './agent-schema.ts';

type Step = AgentTimeline['items'][number];

export function getAgentTimeline(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'getAgentTimeline',
    summary: 'List the steps of an agent’s life',
    description:
      'Lists when the agent was requested, started, joined the room, spoke first and ended.',
    problems: ['not_found'] as const,
    params: agentParams,
    response: { 200: AgentTimeline },
  };
  app.get('/agents/:agentId/timeline', { schema }, async ({ userId, params: { agentId: id } }) => {
    const agent = await authorize(userId, 'read', await db.findAgent(database, { id, userId }));
    const identity = agentIdentity({ role: agent.role, agentId: id });
    return { items: stepsOf(agent, await db.findAgentTimes(database, id, identity)) };
  });
}

type KnownStep = readonly [event: string, at: string | null | undefined, detail: string | null];

function stepsOf(agent: AgentRow, times: AgentTimes | undefined): Step[] {
  const known: readonly KnownStep[] = [
    ['requested', agent.createdAt, agent.role],
    ['admitted', agent.startedAt, null],
    ['scheduled', times?.scheduledAt, null],
    ['started', times?.programStartedAt, null],
    ...laterSteps(agent, times),
    ['stopped', agent.stoppedAt, agent.reason],
  ];
  const steps: Step[] = [];
  for (const [event, at, detail] of known) {
    if (!at) continue;
    // A cluster reports times only to the second, so a step may seem to be earlier than the step before it.
    const previousAt = steps.at(-1)?.at;
    const isEarly = previousAt !== undefined && at < previousAt;
    steps.push({ event, at: isEarly ? previousAt : at, detail });
  }
  return steps;
}

function laterSteps({ role, runningAt }: AgentRow, times: AgentTimes | undefined): KnownStep[] {
  const { firstWordsAt, ends = [] } = times ?? {};
  const isEarly = firstWordsAt && runningAt && firstWordsAt < runningAt;
  // `runningAt` is the first time that the agent was in its room, possibly after a restart.
  const joinedAfterRestart = ends.some(({ joinedAt }) => joinedAt === runningAt);
  const isExternal = role === EXTERNAL_ROLE;
  const restarts = ends.flatMap(({ reason, endedAt, restartedAt, joinedAt }): KnownStep[] => [
    isExternal ? ['left', endedAt, null] : ['crashed', endedAt, reason],
    ['restarting', restartedAt, null],
    ['joined', joinedAt, null],
  ]);
  const steps: KnownStep[] = [
    ['joined', joinedAfterRestart ? null : runningAt, null],
    ...restarts,
    ['first_words', isEarly ? runningAt : firstWordsAt, null],
  ];
  return steps.toSorted(([, a], [, b]) => (a ?? '').localeCompare(b ?? ''));
}
