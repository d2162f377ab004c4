import { hasRedis, startMediaNodes, testMedia } from '@session/testing';
import { serve } from '@session/testing/serve';
import { expect, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { openRoomService } from './room-service.ts';

test('a participant is found while it is in the room, and in no other', async () => {
  const server = testMedia();
  const rooms = openRoomService(server);
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  expect(await rooms.hasParticipant(room, ann.identity)).toBe(true);
  const answers = [rooms.hasParticipant(room, 'nobody'), rooms.hasParticipant('no room', 'nobody')];
  expect(await Promise.all(answers)).toEqual([false, false]);
});

test('a balancer that answers 503 without a node does not say that a participant is absent', async () => {
  await using balancer = await serve((_, response) => response.writeHead(503).end('no server'));
  const rooms = openRoomService({ ...testMedia(), url: balancer.url });
  const failure = { code: 'media_unavailable' };
  await expect(rooms.hasParticipant('room', 'ana')).rejects.toMatchObject(failure);
});

test.skipIf(!hasRedis())(
  'two nodes with a room of one name each: the participants of both are found, whatever the list says',
  async () => {
    await using nodes = await startMediaNodes();
    const rooms = openRoomService(nodes.first);
    const room = makeRoomName();
    await nodes.place(room, 'first');
    await using ann = await joinAsUser(nodes.first, room, 'Ann');
    // The server writes each change of a participant to Redis a moment later. A late write would undo the flush.
    const isSettled = { identity: ann.identity, state: 'active', isAnnounced: true };
    await expect.poll(() => rooms.listParticipants(room)).toMatchObject([isSettled]);
    await nodes.flushRedis();
    await nodes.place(room, 'second');
    await using bea = await joinAsUser(nodes.first, room, 'Bea');
    const listed = await rooms.listParticipants(room);
    expect(listed.map(({ identity }) => identity)).toEqual([bea.identity]);
    const found = [ann, bea].map(({ identity }) => rooms.hasParticipant(room, identity));
    expect(await Promise.all(found)).toEqual([true, true]);
  },
);
