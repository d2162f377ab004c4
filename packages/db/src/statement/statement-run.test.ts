import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openDatabase, pingDatabase } from '../connection/client.ts';
import { allRows } from './rows.ts';
import { statement } from './statement.ts';
import { observeStatements, type StatementRun } from './statement-run.ts';

const DIVIDE = statement('divide', (by: number) => [by], allRows<{ result: number }>)`
select 1 / $1::int as result`;

test('each run is reported once with its name, its duration and its outcome, until the observer is disposed of', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url, { connections: 1 });
  const runs: StatementRun[] = [];
  {
    using observing = new DisposableStack();
    observing.use(observeStatements((run) => runs.push(run)));
    expect(await DIVIDE(own, 1)).toEqual([{ result: 1 }]);
    await expect(DIVIDE(own, 0)).rejects.toMatchObject({ code: '22012' });
  }
  await pingDatabase(own);
  // Other test files of this process may run statements meanwhile.
  const divisions = runs.filter(({ name }) => name === 'divide');
  expect(divisions.map(({ hasFailed }) => hasFailed)).toEqual([false, true]);
  expect(divisions.every(({ durationSeconds }) => durationSeconds > 0)).toBe(true);
  expect(runs.filter(({ name }) => name === 'ping')).toEqual([]);
});
