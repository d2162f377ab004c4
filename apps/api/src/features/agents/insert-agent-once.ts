import { EXTERNAL_ROLE, type NewAgent } from '@session/contract';
import * as db from '@session/db';
import type { Deps } from '../../deps.ts';
import type { CreatingRequest } from '../../http/idempotency.ts';
import { assertWithinLimits } from '../../http/limit-errors.ts';
import { agentError } from './agent-errors.ts';
import { roleOf } from './agent-schema.ts';
import { chooseAgentTemplate, chooseEnvTemplate, choosePlan } from './agent-templates.ts';

interface AgentPlace {
  readonly sessionId: string;
  readonly projectId: string;
  readonly status: 'ACTIVE' | 'CLOSED';
}

export async function insertAgentOnce(
  { config, createOnce, traces }: Pick<Deps, 'config' | 'createOnce' | 'traces'>,
  request: CreatingRequest,
  { sessionId, projectId, status }: AgentPlace,
  body: NewAgent,
): Promise<string> {
  return await createOnce(request, async (transaction, newId) => {
    const agentTemplate = await chooseAgentTemplate(transaction, projectId, body);
    const isExternal = body.role === EXTERNAL_ROLE;
    const name = agentTemplate?.role ?? body.role ?? '';
    const role = isExternal ? undefined : roleOf(name, config.agents.roles);
    const { restart: restartPolicy = role?.restart ?? 'never', ...settings } = body.config ?? {};
    const planId = await choosePlan(transaction, { projectId, id: body.planId });
    const choice = { projectId, id: body.envTemplateId };
    const envTemplateId = role ? await chooseEnvTemplate(transaction, role, choice) : null;
    if (status === 'CLOSED') throw agentError('session_closed');
    const agent = {
      id: newId,
      sessionId,
      role: role?.name ?? EXTERNAL_ROLE,
      planId,
      envTemplateId,
      agentTemplate,
      config: settings,
      restartPolicy,
      createdBy: request.userId,
      keyVersion: keyVersionOf(request, body),
      traceparent: traces?.current?.traceparent,
    };
    const outcome = await db.insertAgent(transaction, agent, config.limits);
    assertWithinLimits(outcome, config.limits);
    if (outcome !== 'inserted') throw agentError(outcome);
  });
}

/**
 * Returns the token version of the key for an external agent, because only external agents end with the secrets of
 * their key.
 */
function keyVersionOf(
  { caller, tokenVersion }: CreatingRequest,
  { role }: NewAgent,
): number | undefined {
  return caller.kind === 'key' && role === EXTERNAL_ROLE ? tokenVersion : undefined;
}
