import * as db from '@session/db';
import { createTestDatabase, testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { deleteClosedRooms } from './closed-rooms.ts';

test('the room of a closed session is deleted, as often as it is opened again; other rooms stay', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url, { media: testMedia() });
  const { rooms } = api.deps;
  const ana = await api.createUser();
  const [active, closed] = [await api.createSession(ana), await api.createSession(ana)];
  const strangers = [uuidv7(), `room of ${uuidv7()}`];
  for (const name of [active, closed, ...strangers]) await rooms.createRoom(name);
  expect(await deleteClosedRooms(api.deps)).toEqual([]);
  await db.closeSession(api.deps.database, closed, 'user');
  expect(await deleteClosedRooms(api.deps)).toEqual([closed]);
  await rooms.createRoom(closed);
  expect(await deleteClosedRooms(api.deps)).toEqual([closed]);
  expect(await deleteClosedRooms(api.deps)).toEqual([]);
  const left = await rooms.listRooms();
  expect(left).toEqual(expect.arrayContaining([active, ...strangers]));
  expect(left).not.toContain(closed);
  for (const name of [active, ...strangers]) await rooms.deleteRoom(name);
});

test('the room of a deleted session is deleted, as often as it is opened again, for longer than a token lasts', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url, { media: testMedia() });
  await using own = db.openDatabase(database.url, { connections: 1 });
  const { rooms } = api.deps;
  const id = await api.createSession(await api.createUser());
  await rooms.createRoom(id);
  await db.markSessionDeleted(api.deps.database, id);
  await db.deleteSession(api.deps.database, id);
  expect(await deleteClosedRooms(api.deps)).toEqual([id]);
  await own.sql`update deleted_rooms set barred_until = now() + interval '1 min'`;
  await rooms.createRoom(id);
  expect(await deleteClosedRooms(api.deps)).toEqual([id]);
  const left = await own.sql<{ seconds: number }[]>`
    select extract(epoch from barred_until - now())::int as seconds from deleted_rooms`;
  expect(left[0]?.seconds).toBeGreaterThan(660);
  await own.sql`update deleted_rooms set barred_until = now()`;
  expect(await deleteClosedRooms(api.deps)).toEqual([]);
  expect(await own.sql`select 1 from deleted_rooms`).toHaveLength(0);
});

test('the room of a closed session stays while a live recorder is in it', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url, { media: testMedia() });
  await using own = db.openDatabase(database.url, { connections: 1 });
  const id = await api.createSession(await api.createUser());
  const recorderId = uuidv7();
  await db.startRecorder(own, { id: recorderId, capacity: 1 });
  const [slot] = await db.claimSlots(own, { recorderId, limit: 1, capacity: 1 });
  await api.deps.rooms.createRoom(id);
  await db.closeSession(api.deps.database, id, 'user');
  expect(await deleteClosedRooms(api.deps)).toEqual([]);
  const key = { sessionId: id, slotNumber: 0, recorderId, epoch: slot?.epoch ?? 0 };
  await db.deleteSlot(own, key);
  expect(await deleteClosedRooms(api.deps)).toEqual([id]);
});
