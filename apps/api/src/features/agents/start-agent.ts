import { CATALOGUE, findAgentType } from '@session/agents';
import { Agent, NewAgent } from '@session/contract';
import type { AgentInsertion } from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import { IDEMPOTENCY_CODES, idempotencyHeaders } from '../../plugins/idempotency.ts';
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

type Refusal = Exclude<AgentInsertion, 'inserted'>;

const REFUSALS = {
  session_closed: 'The session is closed: start the agent in another one.',
  agent_already_running:
    'An agent of this role has not stopped yet: go on with that one, or stop it first.',
  template_gone:
    'The template that was named, or the default, has just been deleted: name another.',
} as const satisfies Record<Exclude<Refusal, 'agent_capacity'>, string>;

/**
 * `POST /sessions/:sessionId/agents`: 201 with the agent, Starting. Only its row is written: the reconciler is told, and
 * does the rest.
 */
export function startAgent(app: ZodApp, deps: Deps): void {
  const { agents, authorize, config, createOnce, sessions } = deps;
  const response = { 201: Agent };
  const headers = idempotencyHeaders;
  const schema = {
    tags: ['agents'],
    operationId: 'startAgent',
    summary: 'Start an agent in a session',
    problems: CODES,
    headers,
    params: sessionParams,
    body: NewAgent,
    response,
  };
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

function refusal(what: Refusal, capacity: number): AppError {
  const code = what === 'template_gone' ? 'not_found' : what;
  const detail = what === 'agent_capacity' ? capacityDetail(capacity) : REFUSALS[what];
  return new AppError(code, `an agent is not started: ${what}`, { detail });
}

function capacityDetail(capacity: number): string {
  return capacity === 0
    ? 'This service is set up to run no agents at all.'
    : `The project may have ${capacity} at a time, and has so many: stop one first.`;
}
