import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import type { QueuedMessage, StoreResult } from '../message-path.ts';
import { lineOf, type SpoolLine } from './spool-line.ts';
import { replaySpool } from './spool-replay.ts';

const never = new AbortController().signal;
const unreadable: SpoolLine = { queued: undefined, text: '{"half', sizeBytes: 7 };
const line = (content: string) => lineOf(textMessage('session', content));
const contentOf = (queued: QueuedMessage) => ('content' in queued ? queued.content : 'mark');

/** A spool in memory with these lines, read at most three at a time. */
function openReplay(lines: SpoolLine[], store: (batch: readonly string[]) => StoreResult) {
  const stored: string[] = [];
  const refused: string[] = [];
  const results: StoreResult[] = [];
  const errors: object[] = [];
  let readFailures = 0;
  const deps = {
    spool: {
      get length() {
        return lines.length;
      },
      async first() {
        if (readFailures > 0) {
          readFailures -= 1;
          throw new Error('the disk is away');
        }
        return lines.slice(0, 3);
      },
      async settle(settled: readonly SpoolLine[]) {
        lines.splice(0, settled.length);
      },
    },
    store: {
      async store(batch: readonly QueuedMessage[]) {
        const names = batch.map(contentOf);
        const result = store(names);
        stored.push(...names.slice(0, result.settled));
        return result;
      },
    },
    losses: {
      async refuseLine(text: string) {
        refused.push(text);
      },
    },
    log: { error: (details: object) => void errors.push(details) },
    noted: (result: StoreResult) => void results.push(result),
  };
  return {
    deps,
    stored,
    refused,
    results,
    errors,
    failReads: (count: number) => {
      readFailures = count;
    },
  };
}

test('everything is stored in order, and lines that are added meanwhile too', async () => {
  const lines = ['a', 'b', 'c', 'd'].map(line);
  const { deps, stored } = openReplay(lines, (batch) => {
    if (batch.includes('d')) lines.push(line('late'));
    return { settled: batch.length };
  });
  await replaySpool(deps, never);
  expect([stored, lines]).toEqual([['a', 'b', 'c', 'd', 'late'], []]);
});

test('a line that cannot be read is refused alone, in its turn', async () => {
  const lines = [line('a'), unreadable, line('b'), unreadable];
  const { deps, stored, refused } = openReplay(lines, (batch) => ({ settled: batch.length }));
  await replaySpool(deps, never);
  expect([stored, refused]).toEqual([
    ['a', 'b'],
    ['{"half', '{"half'],
  ]);
});

test('what the database does not take is sent again, and what it took is not', async () => {
  const error = new Error('away');
  let tries = 0;
  const { deps, stored, results } = openReplay(['a', 'b', 'c'].map(line), (batch) => {
    tries += 1;
    return tries === 1 ? { settled: 1, error } : { settled: batch.length };
  });
  await replaySpool(deps, never);
  expect(stored).toEqual(['a', 'b', 'c']);
  expect(results).toEqual([{ settled: 1, error }, { settled: 2 }]);
});

test('a disk that cannot be read for a moment is read again', async () => {
  const { deps, stored, errors, failReads } = openReplay([line('a')], (batch) => ({
    settled: batch.length,
  }));
  failReads(1);
  await replaySpool(deps, never);
  expect([stored, errors.length]).toEqual([['a'], 1]);
});

test('an answer after the end settles nothing: the next process stores the lines again', async () => {
  const ending = new AbortController();
  const lines = [line('a')];
  const { deps, results } = openReplay(lines, (batch) => {
    ending.abort();
    return { settled: batch.length };
  });
  await replaySpool(deps, ending.signal);
  expect([lines.length, results]).toEqual([1, []]);
});
