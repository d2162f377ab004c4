import {
  compareWithMetricsPage,
  countersWithoutSeries,
  DatabaseProxy,
  labelValuesIn,
} from '@session/testing';
import { expect, test } from 'vitest';
import { startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { TestStage } from '../../testing/stage.ts';

const METRIC = 'session_recorder_';
const ID = /[\da-f]{8}-|:\/\/|@/i;

test('docs/metrics.md describes exactly what a recorder serves, each fault is seen while it lasts, each counter from 0 on, and no label holds an id', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = await DatabaseProxy.open(stage.databaseUrl);
  const env = { ...stage.env(temp.folder), DATABASE_URL: database.url };
  await using program = await startRecorderProcess(env);
  const look = async () => await (await fetch(new URL('/metrics', program.healthUrl))).text();
  expect(countersWithoutSeries(await look())).toEqual([]);
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await stage.database.sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin raise exception 'injected' using errcode = '22000'; end $$;
    create trigger refuse before insert on messages for each row
      when (new.content = 'refuse me') execute function refuse()`);
  await ana.say('refuse me');
  await expect.poll(look).toMatch(/^session_recorder_gaps_total\{reason="refused"\} 1$/m);
  await expect.poll(look).toMatch(/^session_recorder_messages_lost_total\{reason="refused"\} 1$/m);
  await expect.poll(look).toMatch(/^session_recorder_rejected_bytes [1-9]\d*$/m);
  // On a busy machine the spool may grow for a moment.
  await expect
    .poll(async () => figuresIn(await look()))
    .toMatchObject({
      database_up: '1',
      joins_total: expect.stringMatching(/^[1-9]$/),
      spool_time_to_full_seconds: '+Inf',
    });

  await database.refuseConnections();
  await expect
    .poll(async () => {
      await ana.say('while the database is away');
      return figuresIn(await look());
    })
    .toMatchObject({
      database_up: '0',
      oldest_unstored_message_age_seconds: expect.stringMatching(/^(?!0$)[\d.]+$/),
      spool_bytes: expect.stringMatching(/^[1-9]\d*$/),
      spool_time_to_full_seconds: expect.stringMatching(/^[\d.]+$/),
    });
  await database.acceptConnections();
  await expect
    .poll(async () => figuresIn(await look()))
    .toMatchObject({
      database_up: '1',
      oldest_unstored_message_age_seconds: '0',
      spool_bytes: '0',
      spool_time_to_full_seconds: '+Inf',
    });

  const text = await look();
  const sections = ['Recorder', 'Every process'] as const;
  const { served, documented } = await compareWithMetricsPage(text, sections);
  expect(served).toEqual(documented);
  expect(labelValuesIn(text).filter((value) => ID.test(value) || value === 'Ana')).toEqual([]);
});

/** Returns the figures without labels of this recorder, by their names without `session_recorder_`. */
function figuresIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.startsWith(METRIC) && !line.includes('{'));
  return Object.fromEntries(lines.map((line) => line.slice(METRIC.length).split(' ')));
}
