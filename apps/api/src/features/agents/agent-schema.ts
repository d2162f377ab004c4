import { type Agent, AgentConfig, Id } from '@session/contract';
import type { AgentRow } from '@session/db';
import * as z from 'zod';

/** The path parameter of routes of one agent. */
export const agentParams = z.object({ agentId: Id });

/** The path parameter of routes of a session's agents. */
export const sessionParams = z.object({ sessionId: Id });

/** Returns an agent in the API's shape. */
export function agentOf({ desired: _desired, config, ...agent }: AgentRow): Agent {
  return { ...agent, config: AgentConfig.parse(config) };
}
