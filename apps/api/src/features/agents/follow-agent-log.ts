import { Readable } from 'node:stream';
import type { LogReader } from '@session/db';
import { partsOf } from '../../http/parts.ts';
import { isUnavailable } from '../../http/problems/problems.ts';
import type { LogFollowers } from './log-followers.ts';
import { itemOf } from './log-lines.ts';

const RETRY_MS = 1000;

export interface LogRequest extends LogReader {
  readonly firstLine: number;
  readonly lifeMs: number;
  readonly signal: AbortSignal;
}

/**
 * Returns a log as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). A line's number is
 * its id, `gap` stands for deleted lines, and `complete` ends a complete log. If the stream ends otherwise, for example while
 * the database is away, the client reconnects with its last id.
 */
export function followAgentLog(followers: LogFollowers, request: LogRequest): Readable {
  return Readable.from(untilUnavailable(events(followers, request)), { highWaterMark: 1 });
}

async function* untilUnavailable<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
}

async function* events(
  followers: LogFollowers,
  request: LogRequest,
): AsyncGenerator<string | Buffer> {
  const until = performance.now() + request.lifeMs;
  let expected = request.firstLine;
  yield `retry: ${RETRY_MS}\n\n`;
  for await (const update of followers.follow(request, expected, request.signal)) {
    const { lines, isComplete } = update;
    const first = lines[0]?.number ?? expected;
    let text = first > expected ? event('gap', { lines: first - expected }) : '';
    for (const line of lines) {
      text += `id: ${line.number}\ndata: ${JSON.stringify(itemOf(line))}\n\n`;
    }
    if (isComplete) text += event('complete', {});
    // Without news, a comment is sent. The comment keeps the connection open, or reveals that it is broken.
    yield* partsOf(Buffer.from(text || ':\n\n'));
    expected = (lines.at(-1)?.number ?? expected - 1) + 1;
    if (performance.now() > until) return;
  }
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
