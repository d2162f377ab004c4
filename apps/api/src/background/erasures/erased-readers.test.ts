import * as db from '@session/db';
import { expect } from 'vitest';
import { erase, finishErasures, said } from '../../../testing/erasure-test.ts';
import { eventsOf, open } from '../../../testing/message-streams.ts';
import { createWebhook, startWork, webhookTest } from '../../../testing/webhook-test.ts';
import { carryOutErasures } from './carry-out-erasures.ts';

const MESSAGES = 40;

const test = webhookTest
  .extend('address', async ({ api }) => await api.app.listen({ port: 0, host: '127.0.0.1' }))
  .extend('own', async ({ databaseUrl }, { onCleanup }) => {
    const own = db.openDatabase(databaseUrl, { connections: 2 });
    onCleanup(() => own[Symbol.asyncDispose]());
    return own;
  });

test('a stream and the receiver of a webhook have what the table has, after erasures during writes', async ({
  api,
  ana,
  own,
  address,
  projectId,
  sessionId,
  receiver,
}) => {
  const { database, storedNotifier } = api.deps;
  await createWebhook(api, ana, projectId, { url: receiver.url });
  await using webhooks = startWork(api);
  const streamed = new Map<string, string | undefined>();
  const stop = new AbortController();
  const since = '1970-01-01T00:00:00.000Z';
  const stream = await open(address, ana, sessionId, { since, signal: stop.signal });
  const reading = (async () => {
    for await (const { name, data } of eventsOf(stream)) {
      if (name === 'message' && data.id !== undefined) streamed.set(data.id, data.content);
    }
  })().catch(() => {});
  const stored = () => {
    storedNotifier.notify([sessionId]);
    webhooks.stored(sessionId);
  };
  const write = async () => {
    for (let number = 0; number < MESSAGES; number += 1) {
      const [mine, other] = [
        said(sessionId, `zanzibar ${number}`),
        said(sessionId, 'kept', 'user-2'),
      ];
      await db.appendMessages(database, [{ ...mine, status: 'pending', content: 'zan' }, other]);
      stored();
      if (number % 2 === 0) await db.appendMessages(database, [mine]);
      stored();
    }
  };
  const eraseBeside = async () => {
    await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
    for (let turn = 0; turn < 5; turn += 1) {
      await carryOutErasures(api.deps);
      stored();
    }
  };
  await Promise.all([write(), eraseBeside()]);
  await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await finishErasures(api, own);
  const rows = await own.sql<{ id: string; content: string }[]>`
    select id, content from messages where session_id = ${sessionId}`;
  const table = new Map(rows.map(({ id, content }) => [id, content]));
  expect(rows.filter(({ content }) => content === '')).toHaveLength(MESSAGES);
  expect(rows.filter(({ content }) => content === 'kept')).toHaveLength(MESSAGES);
  const received = () => {
    stored();
    const copy = new Map<string, string | undefined>();
    for (const { payload } of receiver.received) {
      const { message } = payload.data;
      if (message) copy.set(message.id, message.content);
    }
    return copy;
  };
  await expect.poll(() => streamed).toEqual(table);
  await expect.poll(received).toEqual(table);
  stop.abort();
  await reading;
});

test('a recorder that is away has not acknowledged, and its receipt says so until it has', async ({
  api,
  ana,
  own,
  projectId,
  sessionId,
}) => {
  const { database } = api.deps;
  const [here, away] = [
    '01a1fd7a-c971-7694-8392-ef82743089a4',
    '01a1fd7a-c971-7694-8392-ef82743089a5',
  ];
  for (const id of [here, away]) await db.startRecorder(database, { id, capacity: 1 });
  const silence = async (seconds: number) => {
    await own.sql`
      update recorders set heartbeat_at = now() - ${seconds} * interval '1 s' where id = ${away}`;
  };
  await silence(3);
  await db.appendMessages(database, [said(sessionId, 'zanzibar')]);
  const { id } = await erase(api, ana, projectId, { sessionId, identity: 'user-1' });
  await db.acknowledgeErasures(database, here, [id]);
  const receipt = async () => {
    await own.sql`update erasures set requested_at = requested_at - interval '4 s' where status = 'waiting'`;
    await carryOutErasures(api.deps);
    return (await api.inject(ana, { url: `/erasures/${id}` })).json();
  };
  const missing = {
    status: 'waiting',
    finishedAt: null,
    recorders: [
      { id: here, acknowledged: true },
      { id: away, acknowledged: false },
    ],
  };
  expect(await receipt()).toMatchObject(missing);
  expect(await receipt()).toMatchObject(missing);
  // The recorder comes back, and still holds something.
  await silence(0);
  expect(await receipt()).toMatchObject(missing);
  await db.acknowledgeErasures(database, away, [id]);
  expect(await receipt()).toMatchObject({
    status: 'done',
    recorders: missing.recorders.map((recorder) => ({ ...recorder, acknowledged: true })),
  });
  await own.sql`delete from recorders`;
});
