import type { LogLine, LogQuery } from '@session/agents';
import pRetry from 'p-retry';
import { hasStatus } from './api-error.ts';
import type { ApiServer } from './api-server.ts';
import { LogLines, sinceTime } from './log-lines.ts';
import { CONTAINER } from './pod-spec.ts';

export interface LogSource {
  readonly pathname: string;
  hasEnded(): boolean;
  untilStarted(signal: AbortSignal): Promise<void>;
  untilChanged(signal: AbortSignal): Promise<void>;
}

const RETRY = { minTimeout: 100, maxTimeout: 5000, randomize: true } as const;
const RETRIES = 3;

/**
 * Yields the lines that `query` asks for; none without a pod. With `follow`, resumes after a broken connection, and no
 * line is missing or repeated. Without `follow`, throws when the API is away or the connection breaks.
 */
export async function* podLog(
  api: ApiServer,
  source: LogSource,
  { since = 0, tail, follow = false, signal = new AbortController().signal }: LogQuery,
): AsyncGenerator<LogLine> {
  let position: Position = { at: since, tail };
  if (follow) await source.untilStarted(signal);
  while (!signal.aborted) {
    // Checked before the reading: if the program has ended by now, the reading gets all lines.
    const isWhole = !follow || source.hasEnded();
    try {
      for await (const line of readFrom(api, source, position, isWhole, signal)) {
        position = { at: line.at, tail: undefined };
        yield line;
      }
      if (isWhole) return;
    } catch (error) {
      if (!follow) throw error;
      // The connection broke: resumes after the last line.
    }
    // The log's stream ends slightly before the pod's status shows the end.
    await source.untilChanged(signal);
  }
}

interface Position {
  readonly at: number;
  readonly tail: number | undefined;
}

async function* readFrom(
  api: ApiServer,
  { pathname }: LogSource,
  { at, tail }: Position,
  isWhole: boolean,
  signal: AbortSignal,
): AsyncGenerator<LogLine> {
  const query = new URLSearchParams({
    container: CONTAINER,
    timestamps: 'true',
    ...(!isWhole && { follow: 'true' }),
    ...(at > 0 && { sinceTime: sinceTime(at) }),
    ...(tail !== undefined && { tailLines: String(tail) }),
  });
  const chunks = await open(api, `${pathname}/log?${query.toString()}`, isWhole, signal);
  if (!chunks) return;
  const lines = new LogLines();
  for await (const chunk of chunks) yield* after(at, lines.push(chunk));
  // An unfinished log may end with half a line, which the next reading gets whole.
  if (isWhole) yield* after(at, lines.end());
}

async function open(
  api: ApiServer,
  url: string,
  isWhole: boolean,
  signal: AbortSignal,
): Promise<AsyncIterable<Buffer> | undefined> {
  try {
    return await pRetry(() => api.open(url, signal), {
      ...RETRY,
      retries: isWhole ? RETRIES : Number.POSITIVE_INFINITY,
      signal,
      shouldRetry: ({ error }) => isTemporary(error),
    });
  } catch (error) {
    if (isTemporary(error)) throw error;
    return undefined;
  }
}

function after(at: number, lines: readonly LogLine[]): LogLine[] {
  return lines.filter((line) => line.at > at);
}

/**
 * Returns true even for the status 403, because an API server that has just started refuses permitted requests until it
 * has loaded its roles.
 */
function isTemporary(error: unknown): boolean {
  return !hasStatus(error, 400) && !hasStatus(error, 404);
}
