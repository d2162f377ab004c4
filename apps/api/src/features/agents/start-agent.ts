import { CATALOGUE, findAgentType } from '@session/agents';
import { Agent, NewAgent } from '@session/contract';
import type { AgentInsertion } from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../plugins/idempotency.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { agentOf, sessionParams } from './agent-schema.ts';
import { chooseEnvTemplate, choosePlan } from './agent-templates.ts';

const CODES = [
  'unknown_role',
  'not_found',
  'env_template_required',
  'session_closed',
  'agent_already_running',
  'agent_capacity',
  ...IDEMPOTENCY_CODES,
] as const;

const REFUSALS = {
  session_closed: 'The session is closed: no agent can be started in it.',
  agent_already_running: 'An agent of this role has not stopped yet: stop it first.',
  template_gone: 'A template that was named, or the default, has just been deleted.',
  agent_capacity: 'As many agents of the project have not stopped as it may have.',
} as const satisfies Record<Exclude<AgentInsertion, 'inserted'>, string>;

/**
 * `POST /sessions/:sessionId/agents`: 201 with the agent, Starting. Only its row is written: the reconciler is told, and
 * does the rest.
 */
export function startAgent(app: ZodApp, deps: Deps): void {
  const { agents, authorize, config, createOnce, sessions } = deps;
  const response = { 201: Agent, ...failures(...CODES) };
  const headers = idempotencyHeaders;
  const schema = { headers, params: sessionParams, body: NewAgent, response };
  app.post('/sessions/:sessionId/agents', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { sessionId } = params;
    const session = await sessions.findSession({ id: sessionId, userId });
    const { projectId, status } = await authorize(userId, 'startAgent', session);
    const type = typeOf(body.role);
    const id = await createOnce(request, async (makers, newId) => {
      const planId = await choosePlan({ projectId, id: body.planId }, makers);
      const choice = { projectId, id: body.envTemplateId };
      const envTemplateId = await chooseEnvTemplate(type, choice, makers);
      if (status === 'CLOSED') throw refusal('session_closed');
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
      if (outcome !== 'inserted') throw refusal(outcome);
    });
    const row = await authorize(userId, 'read', await agents.findAgent({ id, userId }));
    return reply.code(201).header('location', `/agents/${id}`).send(agentOf(row));
  });
}

function typeOf(role: string) {
  const type = findAgentType(role);
  if (type) return type;
  const known = CATALOGUE.map((other) => other.role).join(', ');
  const detail = `There is no role of that name. There are: ${known}.`;
  throw new AppError('unknown_role', 'no such role', { detail });
}

function refusal(code: keyof typeof REFUSALS): AppError {
  const shown = code === 'template_gone' ? 'not_found' : code;
  return new AppError(shown, `an agent is not started: ${code}`, { detail: REFUSALS[code] });
}
