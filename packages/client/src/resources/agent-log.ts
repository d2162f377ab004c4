import { isApiError, isConnectionError, isRefusal } from '../http/api-error.ts';
import { type CallOptions, path, reading } from '../http/call.ts';
import { pause } from '../http/pause.ts';
import { type ServerEvent, serverEvents } from '../http/server-events.ts';
import type { Transport } from '../http/transport.ts';

/** A line of an agent's log, or the number of lines that are no longer kept. */
export type AgentLogEvent =
  | {
      readonly type: 'line';
      /** The number of the line in the log. */
      readonly number: number;
      readonly timestamp: string;
      readonly line: string;
    }
  | { readonly type: 'gap'; readonly lines: number };

export interface FollowLogOptions extends CallOptions {
  readonly follow: true;
  /** How many of the last lines to start with. */
  readonly tail?: number | undefined;
  /** Starts with the lines after this time. */
  readonly since?: string | undefined;
}

const RETRY_MS = 1000;
const MAX_RETRY_MS = 8000;
/** The server sends a comment every 15 s, so a connection that is silent for this long is dead. */
const SILENCE_MS = 45_000;

interface Progress {
  lastNumber: number | undefined;
  retryMs: number;
  /** How many connections in a row broke without an event. */
  failures: number;
  hasOpened: boolean;
}

/**
 * Yields the lines of an agent's log as they are written, each once and in order, until the agent has stopped. A connection
 * that breaks is replaced, for as long as that takes, and no line is repeated. Throws what the API refuses, and a
 * ConnectionError when the first connection fails.
 */
export async function* followLog(
  transport: Transport,
  agentId: string,
  options: FollowLogOptions,
): AsyncGenerator<AgentLogEvent, void> {
  const progress = { lastNumber: undefined, retryMs: RETRY_MS, failures: 0, hasOpened: false };
  for (;;) {
    try {
      const isComplete = yield* readLog(transport, agentId, options, progress);
      if (isComplete) return;
    } catch (error) {
      const isBreak = isConnectionError(error) || (isApiError(error) && !isRefusal(error));
      if (!progress.hasOpened || !isBreak) throw error;
    }
    // Half of the wait is random, so that not all clients reconnect at once when a server comes back.
    const waitMs = Math.min(MAX_RETRY_MS, progress.retryMs * 2 ** progress.failures);
    progress.failures += 1;
    await pause(waitMs * (0.5 + transport.options.random() / 2), options.signal);
  }
}

/** Yields the lines of one connection, and returns whether the log is complete. */
async function* readLog(
  transport: Transport,
  agentId: string,
  { signal, tail, since }: FollowLogOptions,
  progress: Progress,
): AsyncGenerator<AgentLogEvent, boolean> {
  const lastEventId = progress.lastNumber?.toString();
  const request = { ...reading(path`/agents/${agentId}/logs`, { signal }), lastEventId };
  const stream = { ...request, query: { tail, since }, accept: 'text/event-stream' };
  for await (const event of serverEvents(transport.text(stream, SILENCE_MS))) {
    Object.assign(progress, { hasOpened: true, failures: 0 });
    progress.retryMs = event.retryMs ?? progress.retryMs;
    if (event.name === 'complete') return true;
    const found = logEventOf(event, progress.lastNumber);
    if (found?.type === 'line') progress.lastNumber = found.number;
    if (found) yield found;
  }
  return false;
}

/** Returns what an event says; undefined for a line that was yielded before, and for an unknown event of a newer API. */
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
