import type { LogLine } from '@session/agents';
import { pause } from '@session/kit';

const MOST_LINES = 200;
const MOST_BYTES = 65_536;

/**
 * Gives the lines in batches: when the first of a batch is `everyMs` old, at 200 lines or at 64 KiB, whichever comes first.
 * Between batches it reads one line ahead, and no more.
 */
export async function* inBatches(
  lines: AsyncIterable<LogLine>,
  everyMs: number,
): AsyncGenerator<LogLine[]> {
  const iterator = lines[Symbol.asyncIterator]();
  const read = () => {
    const next = iterator.next();
    // It may fail while nobody waits for it; whoever asks for the next batch is told.
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
    while (batch.length < MOST_LINES && sizeBytes < MOST_BYTES) {
      // What has come before a failure is a batch all the same.
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
