import { CATALOGUE, findAgentType } from '@session/agents';
import { Agent, NewAgent } from '@session/contract';
import type { AgentInsertion } from '@session/db';
import { AppError } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { Deps } from '../../deps.ts';
import { failures } from '../../plugins/openapi.ts';
import type { ZodApp } from '../../zod-app.ts';
import { agentOf, sessionParams } from './agent-schema.ts';

const CODES = [
  'unknown_role',
  'not_found',
  'session_closed',
  'agent_already_running',
  'agent_capacity',
] as const;

const REFUSALS = {
  session_closed: 'The session is closed: no agent can be started in it.',
  agent_already_running: 'An agent of this role has not stopped yet: stop it first.',
  agent_capacity: 'As many agents of the project have not stopped as it may have.',
} as const satisfies Record<Exclude<AgentInsertion, 'inserted'>, string>;

/**
 * `POST /sessions/:sessionId/agents`: 201 with the agent, Starting. Only its row is written: the reconciler is told, and
 * does the rest.
 */
export function startAgent(app: ZodApp, deps: Deps): void {
  const { agents, authorize, config, sessions } = deps;
  const response = { 201: Agent, ...failures(...CODES) };
  const schema = { params: sessionParams, body: NewAgent, response };
  app.post('/sessions/:sessionId/agents', { schema }, async (request, reply) => {
    const { userId, params, body } = request;
    const { sessionId } = params;
    const session = await sessions.findSession({ id: sessionId, userId });
    const { status } = await authorize(userId, 'startAgent', session);
    const { role } = typeOf(body.role);
    refuseTemplates(body);
    if (status === 'CLOSED') throw refusal('session_closed');
    const id = uuidv7();
    const unset = { planId: null, envTemplateId: null };
    const agent = { id, sessionId, role, ...unset, config: body.config ?? {}, createdBy: userId };
    const outcome = await agents.insertAgent(agent, config.agents.capacityPerProject);
    if (outcome !== 'inserted') throw refusal(outcome);
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

/** There are no templates yet, so none can be found. */
function refuseTemplates({ planId, envTemplateId }: NewAgent): void {
  const missing = planId ? 'plan template' : envTemplateId ? 'template of variables' : undefined;
  if (missing === undefined) return;
  const detail = `The project has no such ${missing}.`;
  throw new AppError('not_found', `no such ${missing}`, { detail });
}

function refusal(code: keyof typeof REFUSALS): AppError {
  return new AppError(code, 'an agent is not started', { detail: REFUSALS[code] });
}
