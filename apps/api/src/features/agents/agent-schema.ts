import { type AgentRole, findAgentRole } from '@session/agents';
import { type Agent, AgentConfig, EXTERNAL_ROLE, Id } from '@session/contract';
import type { ShownAgentRow } from '@session/db';
import { AppError } from '@session/kit';
import * as z from 'zod';

export const agentParams = z.object({ agentId: Id });

export const sessionParams = z.object({ sessionId: Id });

export function roleOf(nameOrAlias: string, roles: readonly AgentRole[]): AgentRole {
  const role = findAgentRole(nameOrAlias, roles);
  if (role) return role;
  const known = [...roles.map(({ name }) => name), EXTERNAL_ROLE].join(', ');
  const detail = `There is no role with this name. The roles are: ${known}.`;
  throw new AppError('unknown_role', 'no such role', { detail });
}

export function agentOf(row: ShownAgentRow): Agent {
  const { desired: _desired, config, restartPolicy, variables, ...agent } = row;
  return {
    ...agent,
    variables: { ...variables },
    config: { ...AgentConfig.parse(config), restart: restartPolicy },
  };
}
