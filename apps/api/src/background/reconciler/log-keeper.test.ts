import type { LogLine } from '@session/agents';
import { pause } from '@session/kit';
import { expect, test } from 'vitest';
import { fakeDatabase } from '../../../testing/answered-database.ts';
import { fakeSupervision } from '../../../testing/supervision.ts';
import { inBatches } from './in-batches.ts';
import { LogKeeper } from './log-keeper.ts';

const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });

test('a batch is complete when its first line is old enough, not when the next line arrives', async () => {
  const abort = new AbortController();
  async function* lines() {
    yield* linesOf(2);
    await pause(60_000, abort.signal);
  }
  const batches = inBatches(lines(), 5);
  expect((await batches.next()).value).toHaveLength(2);
  abort.abort();
  expect(await batches.next()).toEqual({ done: true, value: undefined });
});

test('the lines before a failure are a batch, and then the failure is thrown', async () => {
  async function* lines() {
    yield* linesOf(2);
    throw away;
  }
  const batches = inBatches(lines(), 60_000);
  expect((await batches.next()).value).toHaveLength(2);
  await expect(batches.next()).rejects.toThrow(away);
});

test('a batch has at most 200 lines, and ends at 64 KiB', async () => {
  expect(await batchSizes(linesOf(450))).toEqual([200, 200, 50]);
  expect(await batchSizes(linesOf(12, 'x'.repeat(16_384)))).toEqual([4, 4, 4]);
  expect(await batchSizes([])).toEqual([]);
});

test('while the database is away writes are retried, and no line is lost or stored twice', async () => {
  const store = makeStore();
  store.failures.push(away, away, undefined, away);
  await keep(linesOf(500), store).done;
  expect(store.lines).toEqual(linesOf(500));
});

test('a line that another process or an earlier attempt has stored is not stored again', async () => {
  const store = makeStore();
  store.lines.push(...linesOf(30));
  store.outdate();
  await keep(linesOf(50), store, { flushMs: 0 }).done;
  expect(store.lines).toEqual(linesOf(50));
});

test('the first lines of a restarted agent are stored though the clock of its machine is behind', async () => {
  const store = makeStore();
  const former = { at: 1000, line: 'former' };
  store.lines.push(former);
  const printed = [
    { at: 3, line: 'one' },
    { at: 4, line: 'two' },
    { at: 2000, line: 'three' },
  ];
  await keep(printed, store, { firstLine: 1 }).done;
  const stored = [former, { at: 1001, line: 'one' }, { at: 1002, line: 'two' }, printed[2]];
  expect(store.lines).toEqual(stored);
  // The next leader cannot tell the other lines from those of the former workload.
  await keep([...printed, { at: 2001, line: 'four' }], store, { firstLine: 1 }).done;
  expect(store.lines).toEqual([...stored, { at: 2001, line: 'four' }]);
});

test('no token is stored', async () => {
  const store = makeStore();
  await keep([{ at: 1, line: '401 for eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln' }], store).done;
  expect(store.lines).toEqual([{ at: 1, line: '401 for eyJ…' }]);
});

test('a log that cannot be stored is reported in one log line', async () => {
  const store = makeStore();
  store.failures.push(new Error('the agent is gone'));
  await keep(linesOf(500), store).done;
  expect([store.lines, store.errors]).toEqual([[], 1]);
});

test('disposal does not wait for a database that is away', async () => {
  const store = makeStore();
  store.failures.push(...Array.from({ length: 1000 }, () => away));
  const keeper = keep(linesOf(1), store);
  await keeper[Symbol.asyncDispose]();
  expect([store.lines, store.errors]).toEqual([[], 0]);
});

async function batchSizes(lines: LogLine[]): Promise<number[]> {
  async function* each() {
    yield* lines;
  }
  return (await Array.fromAsync(inBatches(each(), 60_000))).map(({ length }) => length);
}

function linesOf(count: number, line = 'line'): LogLine[] {
  return Array.from({ length: count }, (_, index) => ({ at: index + 1, line }));
}

/** Returns a fake of the stored log. It throws the queued `failures`, and refuses lines that do not start at its end. */
function makeStore() {
  const lines: LogLine[] = [];
  const failures: (Error | undefined)[] = [];
  let isOutdated = false;
  const end = () => {
    const lastAt = lines.at(-1)?.at;
    return lastAt === undefined ? [] : [{ nextLine: lines.length, nextByte: 0, lastAt }];
  };
  const fail = () => {
    const failure = failures.shift();
    if (failure) throw failure;
  };
  return {
    lines,
    failures,
    errors: 0,
    /** Makes the next requested end that of an empty log. */
    outdate() {
      isOutdated = true;
    },
    database: fakeDatabase(async (name, parameters) => {
      fail();
      if (name === 'find_log_end') {
        const found = isOutdated ? [] : end();
        isOutdated = false;
        return found;
      }
      const [, nextLine, , , , texts, times] = parameters;
      if (nextLine !== lines.length) return [];
      if (!(Array.isArray(texts) && Array.isArray(times))) throw new Error(`not expected: ${name}`);
      lines.push(...texts.map((line, index) => ({ at: times[index], line })));
      return end();
    }),
  };
}

function keep(
  lines: LogLine[],
  store: ReturnType<typeof makeStore>,
  { flushMs = 60_000, firstLine = null }: { flushMs?: number; firstLine?: number | null } = {},
): LogKeeper {
  async function* logs(_: string, { since = 0 } = {}) {
    yield* lines.filter(({ at }) => at > since);
  }
  const { deps } = fakeSupervision();
  const error = () => {
    store.errors += 1;
  };
  return new LogKeeper(
    { agentId: 'a1', workloadId: 'a1', firstLine },
    { spansIn: () => [], endsWithin: () => false },
    {
      ...deps,
      launcher: { ...deps.launcher, logs },
      database: store.database,
      flushMs,
      retryMs: 1,
      log: { ...deps.log, error },
    },
  );
}
