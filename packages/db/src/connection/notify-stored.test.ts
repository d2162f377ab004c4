import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openNotifications } from '../../testing/notifications.ts';
import { openDatabase } from './client.ts';
import { StoredNotifier } from './notify-stored.ts';

async function openNotifier() {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  const database = stack.use(openDatabase(url, { connections: 1 }));
  const notifications = stack.use(await openNotifications(url));
  const notifier = stack.use(new StoredNotifier(database, 0));
  const owned = stack.move();
  return { database, notifier, notifications, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test('the sessions of many flushes while one notification is under way are named together, each once', async () => {
  await using opened = await openNotifier();
  const { notifier, notifications } = opened;
  const [first, second, third] = [uuidv7(), uuidv7(), uuidv7()];
  notifier.notify([first]);
  notifier.notify([second, third]);
  notifier.notify([third]);
  const received: string[] = [];
  const receive = async () => {
    received.push(...(await notifications.take()));
    return received;
  };
  await expect
    .poll(receive)
    .toEqual([`messages_stored ${first}`, `messages_stored ${second},${third}`]);
});

test.each([
  [200, [7399]],
  [201, [7399, 36]],
  [2000, Array(10).fill(7399)],
  [2001, [0]],
  [5000, [0]],
])('%i sessions are notified at once, with payloads of %j bytes', async (count, lengths) => {
  await using opened = await openNotifier();
  const ids = Array.from({ length: count }, () => uuidv7());
  opened.notifier.notify(ids);
  // The client may have read only a part of them.
  const payloads: string[] = [];
  const take = async () => {
    const taken = await opened.notifications.take();
    payloads.push(...taken.map((one) => one.replace('messages_stored ', '')));
    return payloads.map(({ length }) => length);
  };
  await expect.poll(take).toEqual(lengths);
  expect(payloads.join()).toBe(lengths[0] === 0 ? '' : ids.join());
});

test('a notification changes nothing for later commits on its connection', async () => {
  await using opened = await openNotifier();
  await opened.database.sql`set synchronous_commit = 'on'`;
  opened.notifier.notify([uuidv7()]);
  await expect.poll(() => opened.notifications.take()).toHaveLength(1);
  expect(await opened.database.sql`show synchronous_commit`).toEqual([
    { synchronous_commit: 'on' },
  ]);
});

test('without a database nothing is thrown, and the end does not wait for one', async () => {
  await using database = openDatabase('postgres://nobody@127.0.0.1:1/none', { connections: 1 });
  const notifier = new StoredNotifier(database, 0);
  notifier.notify([uuidv7()]);
  expect(await notifier[Symbol.asyncDispose]()).toBeUndefined();
  notifier.notify([uuidv7()]);
});
