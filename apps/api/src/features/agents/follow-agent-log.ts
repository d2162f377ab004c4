import { Readable } from 'node:stream';
import type { LogReader } from '@session/db';
import type { LogFollowers } from './log-followers.ts';
import { itemOf } from './log-lines.ts';

/** What a client waits before it comes again. */
const RETRY_MS = 1000;

export interface Following extends LogReader {
  /** The number of the first line that is wanted. */
  readonly firstLine: number;
  /** After so long it ends, and the client may come again. */
  readonly lifeMs: number;
  readonly signal: AbortSignal;
}

/**
 * Gives an agent's log as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): each line as
 * a message, whose id is its number; `gap` where lines are not kept any more; `complete` when no more will come. An end
 * without that asks the client to come again, with the last id.
 */
export function followAgentLog(followers: LogFollowers, following: Following): Readable {
  return Readable.from(events(followers, following), { highWaterMark: 1 });
}

async function* events(followers: LogFollowers, following: Following): AsyncGenerator<string> {
  const until = performance.now() + following.lifeMs;
  let expected = following.firstLine;
  yield `retry: ${RETRY_MS}\n\n`;
  for await (const news of followers.follow(following, expected, following.signal)) {
    const { lines, isComplete } = news;
    const first = lines[0]?.number ?? expected;
    let text = first > expected ? event('gap', { lines: first - expected }) : '';
    for (const line of lines) {
      text += `id: ${line.number}\ndata: ${JSON.stringify(itemOf(line))}\n\n`;
    }
    if (isComplete) text += event('complete', {});
    // A comment: it keeps the connection open, and tells us when it is not.
    yield text || ':\n\n';
    expected = (lines.at(-1)?.number ?? expected - 1) + 1;
    if (performance.now() > until) return;
  }
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
