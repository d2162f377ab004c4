import { type CallOptions, path, reading } from '../http/call.ts';
import { followEvents } from '../http/follow-events.ts';
import type { ServerEvent } from '../http/server-events.ts';
import type { Transport } from '../http/transport.ts';
import type { AgentLog } from '../shapes.ts';
import type { ReadLogOptions } from './agents.ts';

/** A line of an agent's log, or the number of lines that are no longer kept. */
export type AgentLogEvent =
  | {
      readonly type: 'line';
      readonly number: number;
      readonly timestamp: string;
      readonly line: string;
    }
  | { readonly type: 'gap'; readonly lines: number };

export interface FollowLogOptions extends CallOptions {
  readonly follow: true;
  readonly tail?: number | undefined;
  /** Starts with the lines after this time. */
  readonly since?: string | undefined;
}

type ReadLog = (id: string, options?: ReadLogOptions) => Promise<AgentLog>;

export function logsOf(transport: Transport, read: ReadLog) {
  /**
   * Yields each line once, in order, until the agent has stopped. Replaces a broken connection. Throws the API's refusal,
   * and the error of the first connection.
   */
  function logs(id: string, options: FollowLogOptions): AsyncGenerator<AgentLogEvent, void>;
  function logs(id: string, options?: ReadLogOptions): Promise<AgentLog>;
  function logs(id: string, options: FollowLogOptions | ReadLogOptions = {}) {
    return options.follow ? followLog(transport, id, options) : read(id, options);
  }
  return logs;
}

async function* followLog(
  transport: Transport,
  agentId: string,
  { signal, tail, since }: FollowLogOptions,
): AsyncGenerator<AgentLogEvent, void> {
  const call = { ...reading(path`/agents/${agentId}/logs`, { signal }), query: { tail, since } };
  let last: number | undefined;
  for await (const event of followEvents(transport, call, ({ name }) => name === 'complete')) {
    const found = logEventOf(event, last);
    if (found?.type === 'line') last = found.number;
    if (found) yield found;
  }
}

function logEventOf({ name, data, id }: ServerEvent, last = -1): AgentLogEvent | undefined {
  if (data === '') return undefined;
  if (name === 'gap') {
    const { lines }: { lines: number } = JSON.parse(data);
    return { type: 'gap', lines };
  }
  const number = Number(id);
  if (name !== 'message' || number <= last) return undefined;
  const { timestamp, line }: { timestamp: string; line: string } = JSON.parse(data);
  return { type: 'line', number, timestamp, line };
}
