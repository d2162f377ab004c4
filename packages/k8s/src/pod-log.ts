import type { LogLine, LogQuery } from '@session/agents';
import pRetry from 'p-retry';
import { hasStatus } from './api-error.ts';
import type { ApiServer } from './api-server.ts';
import { LogLines, sinceTime } from './log-lines.ts';
import { CONTAINER } from './pod-spec.ts';

/** What the reader of a pod's log has to know of the pod. */
export interface LogSource {
  /** `/api/v1/namespaces/agents/pods/agent-1` */
  readonly pathname: string;
  /** Whether it will never say anything any more. */
  hasEnded(): boolean;
  /** Resolves when its program has begun to run, or will not, or `signal` aborts. */
  started(signal: AbortSignal): Promise<void>;
  /** Resolves when something of the pod has changed, or after a second, or when `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;
}

const RETRY = { minTimeout: 100, maxTimeout: 5000, randomize: true } as const;
const RETRIES = 3;

/**
 * Gives the lines of a pod's log that `query` asks for; none when there is no such pod. A connection that is cut is taken
 * up where it was left: no line is missing, and none comes twice. Without `follow` it throws when the API gives no answer.
 */
export async function* podLog(
  api: ApiServer,
  source: LogSource,
  { since = 0, tail, follow = false, signal = new AbortController().signal }: LogQuery,
): AsyncGenerator<LogLine> {
  let place: Place = { at: since, tail };
  if (follow) await source.started(signal);
  while (!signal.aborted) {
    // Before it is read: what comes then is all there is.
    const isWhole = !follow || source.hasEnded();
    try {
      for await (const line of readFrom(api, source, place, isWhole, signal)) {
        place = { at: line.at, tail: undefined };
        yield line;
      }
      if (isWhole) return;
    } catch (error) {
      if (!follow) throw error;
      // It was cut off, and is taken up where it was left.
    }
    // The end of the log shows before that of its pod.
    await source.changed(signal);
  }
}

interface Place {
  /** The time of the last line that has been given. */
  readonly at: number;
  readonly tail: number | undefined;
}

/** Gives the lines after `place`: with `isWhole` all that there are, otherwise those to come, too. */
async function* readFrom(
  api: ApiServer,
  { pathname }: LogSource,
  { at, tail }: Place,
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
  // What is left of a log that goes on may be half a line; it is read again.
  if (isWhole) yield* after(at, lines.end());
}

/** Gives undefined when there is no log: the pod is gone, or its program does not run yet. */
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
      shouldRetry: ({ error }) => isPassing(error),
    });
  } catch (error) {
    if (isPassing(error)) throw error;
    return undefined;
  }
}

function after(at: number, lines: readonly LogLine[]): LogLine[] {
  return lines.filter((line) => line.at > at);
}

/** A server that has just begun may refuse for a moment what it allows: it has not read its rules yet. */
function isPassing(error: unknown): boolean {
  return !hasStatus(error, 400) && !hasStatus(error, 404);
}
