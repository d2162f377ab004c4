import { path, reading } from '../http/call.ts';
import type { ListOptions } from '../http/list.ts';
import type { Transport } from '../http/transport.ts';
import type { AgentTurns } from '../shapes.ts';

/** Returns a page of what an agent's answers took, the newest first, and the percentiles of its turns. */
export async function listTurns(
  transport: Transport,
  agentId: string,
  { signal, ...query }: ListOptions = {},
): Promise<AgentTurns> {
  const call = reading(path`/agents/${agentId}/turns`, { signal });
  return await transport.json<AgentTurns>({ ...call, query: { ...query } });
}
