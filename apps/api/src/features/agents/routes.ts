import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { createAgentToken } from './create-agent-token.ts';
import { getAgent } from './get-agent.ts';
import { getAgentLogs } from './get-agent-logs.ts';
import { getAgentTimeline } from './get-agent-timeline.ts';
import { listAgentTurns } from './list-agent-turns.ts';
import { listAgentTypes } from './list-agent-types.ts';
import { listAgents } from './list-agents.ts';
import { startAgent } from './start-agent.ts';
import { stopAgent } from './stop-agent.ts';

export function agentRoutes(app: ZodApp, deps: Deps): void {
  listAgentTypes(app, deps);
  startAgent(app, deps);
  listAgents(app, deps);
  getAgent(app, deps);
  getAgentLogs(app, deps);
  getAgentTimeline(app, deps);
  listAgentTurns(app, deps);
  createAgentToken(app, deps);
  stopAgent(app, deps);
}
