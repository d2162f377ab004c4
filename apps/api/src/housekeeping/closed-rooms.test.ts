import {
  openDatabase,
  prepareRecorderQueries,
  prepareRecordingAssignmentQueries,
} from '@session/db';
import { createTestDatabase, testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { startTestApi } from '../test-api.ts';
import { deleteClosedRooms } from './closed-rooms.ts';

test('the room of a closed session goes, as often as it comes back; others stay', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url, { media: testMedia() });
  const { rooms, sessions } = api.deps;
  const ana = await api.createUser();
  const [active, closed] = [await api.createSession(ana), await api.createSession(ana)];
  const strangers = [uuidv7(), `room of ${uuidv7()}`];
  for (const name of [active, closed, ...strangers]) await rooms.createRoom(name);
  expect(await deleteClosedRooms(api.deps)).toEqual([]);
  await sessions.closeSession(closed, 'user');
  expect(await deleteClosedRooms(api.deps)).toEqual([closed]);
  await rooms.createRoom(closed);
  expect(await deleteClosedRooms(api.deps)).toEqual([closed]);
  expect(await deleteClosedRooms(api.deps)).toEqual([]);
  const left = await rooms.listRooms();
  expect(left).toEqual(expect.arrayContaining([active, ...strangers]));
  expect(left).not.toContain(closed);
  for (const name of [active, ...strangers]) await rooms.deleteRoom(name);
});

test('the room stays while a live recorder is to hear its end', async () => {
  await using database = await createTestDatabase();
  await using api = await startTestApi(database.url, { media: testMedia() });
  await using own = openDatabase(database.url, { connections: 1 });
  const id = await api.createSession(await api.createUser());
  const recorderId = uuidv7();
  await prepareRecorderQueries(own).startRecorder({ id: recorderId, capacity: 1 });
  const assignments = prepareRecordingAssignmentQueries(own);
  const [slot] = await assignments.claimAssignments({ recorderId, limit: 1, capacity: 1 });
  await api.deps.rooms.createRoom(id);
  await api.deps.sessions.closeSession(id, 'user');
  expect(await deleteClosedRooms(api.deps)).toEqual([]);
  const key = { sessionId: id, slot: 0, recorderId, epoch: slot?.epoch ?? 0 };
  await assignments.deleteAssignment(key);
  expect(await deleteClosedRooms(api.deps)).toEqual([id]);
});
