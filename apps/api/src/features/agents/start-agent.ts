import { Agent, AgentPreflight, NewAgent } from '@session/contract';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../http/idempotency.ts';
import { LONG_REQUEST_MS } from '../../http/time-limits.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { refusal, typeOf } from './agent-refusals.ts';
import { agentOf, sessionParams } from './agent-schema.ts';
import { chooseEnvTemplate, choosePlan } from './agent-templates.ts';
import { findProblems } from './preflight.ts';

const CODES = [
  'unknown_role',
  'not_found',
  'env_template_required',
  'session_closed',
  'agent_already_running',
  'agent_capacity',
  ...IDEMPOTENCY_CODES,
] as const;

const querystring = z.strictObject({
  dryRun: z.enum(['true', 'false']).optional().meta({
    description: 'With `true` nothing is started: 200 with all that would keep the agent from it',
  }),
});

/**
 * `POST /sessions/:sessionId/agents`: 201 with the agent, Starting. Only its row is written: the reconciler is told, and
 * does the rest. With `dryRun=true` nothing is written: 200 with what would stop it.
 */
export function startAgent(app: ZodApp, deps: Deps): void {
  const { agents, authorize, config, createOnce, sessions } = deps;
  const response = { 200: AgentPreflight, 201: Agent };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['agents'],
    operationId: 'startAgent',
    summary: 'Start an agent in a session',
    problems: CODES,
    headers,
    params: sessionParams,
    querystring,
    body: NewAgent,
    response,
  };
  // A dry run waits for the media server, and for what runs agents.
  const route = { schema, handlerTimeout: LONG_REQUEST_MS };
  app.post('/sessions/:sessionId/agents', route, async (request, reply) => {
    const { userId, params, body, query } = request;
    const { sessionId } = params;
    const session = await sessions.findSession({ id: sessionId, userId });
    const { projectId, status } = await authorize(userId, 'startAgent', session);
    if (query.dryRun === 'true') {
      const problems = await findProblems({ sessionId, projectId, status }, body, deps);
      return reply.code(200).send({ ok: problems.length === 0, problems });
    }
    const type = typeOf(body.role);
    const creation = createOnce(request, async (makers, newId) => {
      const planId = await choosePlan({ projectId, id: body.planId }, makers);
      const choice = { projectId, id: body.envTemplateId };
      const envTemplateId = await chooseEnvTemplate(type, choice, makers);
      if (status === 'CLOSED') throw refusal('session_closed', 0);
      const agent = {
        id: newId,
        sessionId,
        role: type.role,
        planId,
        envTemplateId,
        config: body.config ?? {},
        createdBy: userId,
      };
      const { capacityPerProject } = config.agents;
      const outcome = await makers.agents.insertAgent(agent, capacityPerProject);
      if (outcome !== 'inserted') throw refusal(outcome, capacityPerProject);
    });
    const id = await creation;
    const row = await authorize(userId, 'read', await agents.findAgent({ id, userId }));
    return reply.code(201).header('location', `/agents/${id}`).send(agentOf(row));
  });
}
