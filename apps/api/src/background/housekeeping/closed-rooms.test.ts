import * as db from '@session/db';
import { createTestDatabase, testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { fakeDatabase } from '../../../testing/answered-database.ts';
import { startTestApi } from '../../../testing/api.ts';
import { deleteClosedRooms } from './closed-rooms.ts';
import { FailedIds } from './failed-ids.ts';

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
  await own.sql`update deleted_rooms set barred_until = now() - interval '1 s'`;
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

test('of many rooms eight are deleted at a time, and one that fails holds up no other; after its second failure it is left out for a minute', async () => {
  const names = Array.from({ length: 100 }, () => uuidv7());
  const [stuck = ''] = names;
  const open = new Set(names);
  const asked: string[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  const rooms = {
    listRooms: async () => [...open],
    async deleteRoom(name: string) {
      asked.push(name);
      atOnce += 1;
      mostAtOnce = Math.max(mostAtOnce, atOnce);
      await new Promise(setImmediate);
      atOnce -= 1;
      if (name === stuck) throw new Error('its node is gone');
      open.delete(name);
    },
  };
  const database = fakeDatabase(async (statement, [listed]) => {
    if (statement !== 'list_finished_sessions' || !Array.isArray(listed)) return [];
    return listed.map((id: unknown) => ({ id }));
  });
  let now = 0;
  const failed = new FailedIds(() => now);
  const remove = () => deleteClosedRooms({ database, rooms }, failed, { now: () => 0 });
  const failure = { errors: [{ message: `room ${stuck} was not deleted` }] };
  await expect(remove()).rejects.toMatchObject(failure);
  expect([mostAtOnce, asked.toSorted(), [...open]]).toEqual([8, names.toSorted(), [stuck]]);
  await expect(remove()).rejects.toMatchObject(failure);
  expect(await remove()).toEqual([]);
  now = 60_000;
  await expect(remove()).rejects.toMatchObject(failure);
  expect(asked).toHaveLength(102);
});

test('a call ends when its time is over, and the next one goes on', async () => {
  const open = new Set(Array.from({ length: 20 }, () => uuidv7()));
  const rooms = {
    listRooms: async () => [...open],
    deleteRoom: async (name: string) => void open.delete(name),
  };
  const database = fakeDatabase(async (_, [listed]) =>
    Array.isArray(listed) ? listed.map((id: unknown) => ({ id })) : [],
  );
  let looks = 0;
  const now = () => {
    looks += 1;
    return looks;
  };
  const limits = { workMs: 12, now };
  const deleted = await deleteClosedRooms({ database, rooms }, new FailedIds(), limits);
  expect(deleted.length + open.size).toBe(20);
  expect([deleted.length, open.size].every((count) => count > 0)).toBe(true);
  await deleteClosedRooms({ database, rooms }, new FailedIds(), { now: () => 0 });
  expect(open.size).toBe(0);
});

test('no room is begun after the process began to end', async () => {
  const names = Array.from({ length: 20 }, () => uuidv7());
  const stop = new AbortController();
  let asked = 0;
  const rooms = {
    listRooms: async () => names,
    async deleteRoom() {
      asked += 1;
      stop.abort();
    },
  };
  const database = fakeDatabase(async (_, [listed]) =>
    Array.isArray(listed) ? listed.map((id: unknown) => ({ id })) : [],
  );
  const limits = { stop: stop.signal, now: () => 0 };
  expect(await deleteClosedRooms({ database, rooms }, new FailedIds(), limits)).toHaveLength(1);
  expect(asked).toBe(1);
});
