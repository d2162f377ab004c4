import { createTestDatabase } from '@session/testing';
import { expect, test, vi } from 'vitest';
import { openDatabase } from '../connection/client.ts';
import { allRows } from './rows.ts';
import { statement, withinLimit } from './statement.ts';
import { inTransaction } from './transaction.ts';

test('within a limit, a statement and a transaction as a whole throw unavailable when it is over, and go on', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url);
  const limited = withinLimit(own, 1000);
  // Longer than any test, for statements that must not reach their limit.
  const patient = withinLimit(own, 600_000);
  const sleep = statement('sleep', (seconds: number) => [seconds], allRows)`
select pg_sleep($1)`;
  expect(await sleep(patient, 0)).toHaveLength(1);
  await expect(sleep(limited, 3)).rejects.toMatchObject({ code: 'unavailable' });
  const committed = Promise.withResolvers<void>();
  const working = inTransaction(limited, async (transaction) => {
    // Each is within the limit.
    for (let count = 0; count < 4; count += 1) await sleep(transaction, 0.3);
    committed.resolve();
  });
  await expect(working).rejects.toMatchObject({ code: 'unavailable' });
  await committed.promise;
  const fail = statement('fail', () => [], allRows)`
select 1 / 0`;
  await expect(fail(patient)).rejects.toMatchObject({ code: '22012' });
});

test('the limit of a statement begins when it is sent, however long this process stands still before', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url, { connections: 1 });
  const ask = statement('ask', () => [], allRows)`
select pg_sleep(0.1)`;
  await ask(own);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const answer = ask(withinLimit(own, 1000));
    // The driver sends the statement at the end of this turn of the event loop.
    vi.advanceTimersByTime(1100);
    expect(await answer).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});
