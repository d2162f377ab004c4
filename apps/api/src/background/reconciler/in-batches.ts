import type { LogLine } from '@session/agents';
import { pause } from '@session/kit';

const MAX_LINES = 200;
const MAX_BYTES = 65_536;

/**
 * Yields the lines in batches. A batch is complete when its first line is `everyMs` old, at 200 lines, or at 64 KiB. At
 * most one line is read ahead.
 */
export async function* inBatches(
  lines: AsyncIterable<LogLine>,
  everyMs: number,
): AsyncGenerator<LogLine[]> {
  const iterator = lines[Symbol.asyncIterator]();
  const read = () => {
    const next = iterator.next();
    // The read may fail before the next batch is requested. The request for that batch then throws the error.
    next.catch(() => {});
    return next;
  };
  let next = read();
  for (;;) {
    const first = await next;
    if (first.done) return;
    next = read();
    const batch = [first.value];
    let sizeBytes = Buffer.byteLength(first.value.line);
    using due = timer(everyMs);
    while (batch.length < MAX_LINES && sizeBytes < MAX_BYTES) {
      // The lines before a failure are a batch too.
      const result = await Promise.race([next, due.passed]).catch(() => undefined);
      if (result === undefined || result.done) break;
      next = read();
      batch.push(result.value);
      sizeBytes += Buffer.byteLength(result.value.line);
    }
    yield batch;
  }
}

function timer(delayMs: number): { readonly passed: Promise<undefined> } & Disposable {
  const end = new AbortController();
  const passed = pause(delayMs, end.signal).then(() => undefined);
  return { passed, [Symbol.dispose]: () => end.abort() };
}
