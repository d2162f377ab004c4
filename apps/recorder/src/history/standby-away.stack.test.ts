import { openDatabase, prepareDatabase } from '@session/db';
import { startRestorableServer } from '@session/testing';
import { expect, test } from 'vitest';
import { FAST, TestStage, until } from '../../testing/stage.ts';

/** What `createDeps` opens for the history. */
const HISTORY_CONNECTIONS = 4;

test('while no standby of the database answers, a recorder leaves few waiting connections, and keeps what is said', async () => {
  await using server = await startRestorableServer();
  const { url } = server;
  const stop = new AbortController().signal;
  await prepareDatabase({ databaseUrl: url, databaseDirectUrl: url }, { stop });
  const newDatabase = async () => ({ url, [Symbol.asyncDispose]: async () => {} });
  await using stage = await TestStage.open(undefined, newDatabase);
  await using admin = openDatabase(url, { connections: 1, applicationName: 'admin' });
  const setStandby = async (name: string) => {
    await admin.sql.unsafe(`alter system set synchronous_standby_names = '${name}'`);
    await admin.sql`select pg_reload_conf()`;
  };
  const ofRecorder = async () =>
    await admin.sql<{ query: string; isWaiting: boolean }[]>`
      select query, wait_event is not distinct from 'SyncRep' as "isWaiting"
      from pg_stat_activity where application_name like 'recorder-%'`;
  await stage.record({ timing: { ...FAST, flushTimeoutMs: 1000 } });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.say('before');
  await stage.historyWith(sessionId, ({ content }) => content === 'before');
  await setStandby('nobody');
  const said: string[] = [];
  await until(async () => {
    said.push(`meanwhile ${said.length}`);
    await ana.say(said.at(-1) ?? '');
    return (await ofRecorder()).some(({ query }) => query.includes('count_waiting_commits'));
  });
  const waiting = (await ofRecorder()).filter(({ isWaiting }) => isWaiting);
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.length).toBeLessThanOrEqual(HISTORY_CONNECTIONS);
  await setStandby('');
  await stage.historyWith(sessionId, ({ content }) => content === said.at(-1));
  const stored = (await stage.history(sessionId)).filter(({ kind }) => kind === 'text');
  expect(stored.map(({ content }) => content)).toEqual(['before', ...said]);
});
