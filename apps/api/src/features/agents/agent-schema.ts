import { type Agent, AgentConfig, Id } from '@session/contract';
import type { AgentRow } from '@session/db';
import * as z from 'zod';

/** The id of an agent in a path. */
export const agentParams = z.object({ agentId: Id });

/** The id of a session whose agents are meant, in a path. */
export const sessionParams = z.object({ sessionId: Id });

/** Gives an agent as the API gives it. */
export function agentOf({ desired: _desired, config, ...agent }: AgentRow): Agent {
  return { ...agent, config: AgentConfig.parse(config) };
}
