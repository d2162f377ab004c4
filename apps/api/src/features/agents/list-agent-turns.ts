import { AgentTurn, AgentTurns, PageQuery } from '@session/contract';
import { agentIdentity } from '@session/contract/room';
import type { AgentTurnRow } from '@session/db';
import * as db from '@session/db';
import { AppError } from '@session/kit';
import type { Deps } from '../../deps.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { agentParams } from './agent-schema.ts';

export function listAgentTurns(app: ZodApp, { authorize, database }: Deps): void {
  const schema = {
    tags: ['agents'],
    operationId: 'listAgentTurns',
    summary: 'List what the answers of an agent took, the newest first',
    description:
      'Lists the answers that the agent’s model gave, each with its times, requests and tokens, and sums them up in percentiles. A page may have fewer turns than `limit`, or none, while `nextCursor` leads on: the list ends where it is null.',
    problems: ['invalid_cursor', 'not_found'] as const,
    params: agentParams,
    querystring: PageQuery,
    response: { 200: AgentTurns },
  };
  app.get('/agents/:agentId/turns', { schema }, async ({ userId, params, query }) => {
    const { agentId } = params;
    const agent = await authorize(
      userId,
      'read',
      await db.findAgent(database, { id: agentId, userId }),
    );
    const identity = agentIdentity({ role: agent.role, agentId });
    const { limit, cursor } = query;
    const page = { agentId, identity, cursor, limit: limit + 1 };
    const [found, summary] = await Promise.all([
      db.listAgentTurns(database, page),
      db.summariseAgentTurns(database, agentId, identity),
    ]);
    if (!found.isCursorKnown)
      throw new AppError('invalid_cursor', 'no such message in the agent’s session');
    const items = found.turns.slice(0, limit).map(turnOf);
    const hasMore = found.turns.length > limit;
    return { items, nextCursor: hasMore ? (items.at(-1)?.messageId ?? null) : found.end, summary };
  });
}

function turnOf({
  messageId,
  timestamp,
  isInterrupted,
  isTruncated,
  figures,
}: AgentTurnRow): AgentTurn {
  const marks = { interrupted: isInterrupted, truncated: isTruncated };
  return { messageId, timestamp, ...marks, figures: AgentTurn.shape.figures.parse(figures) };
}
