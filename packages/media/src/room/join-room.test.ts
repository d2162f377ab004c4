import { once } from 'node:events';
import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { LocalParticipant } from '@livekit/rtc-node';
import type { RoomEvent } from '@session/contract/room';
import { startMediaServer, testMedia } from '@session/testing';
import { RoomServiceClient } from 'livekit-server-sdk';
import { expect, test, vi } from 'vitest';
import { joinAsRecorder, joinAsUser, makeRoomName, packetsIn } from '../../testing/rooms.ts';
import { sdkInternals } from '../sdk-internals.ts';
import { openRoomService } from '../server/room-service.ts';
import { agentToken, userToken } from '../server/tokens.ts';
import { joinRoom } from './join-room.ts';

/**
 * Waits until the recorder sees a participant, because joins and packets reach it on two connections without a common
 * order.
 */
async function untilJoined(
  { events }: { readonly events: readonly RoomEvent[] },
  { identity }: { readonly identity: string },
): Promise<void> {
  const hasJoined = (event: RoomEvent) =>
    event.type === 'participant_joined' && event.participant.identity === identity;
  await expect.poll(() => events.some(hasJoined)).toBe(true);
}

test('a packet of a participant who was seen to join has its sender', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilJoined(recorder, ann);
  await ann.say('hello');
  await expect.poll(() => recorder.events).toHaveLength(2);
  const participant = { identity: ann.identity, name: 'Ann', kind: 'standard' };
  expect(recorder.events).toMatchObject([
    { type: 'participant_joined', participant },
    { type: 'packet', sender: participant },
  ]);
});

test('an answer of the server that the SDK misses does not prevent a join', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  const setAttributes: (...args: never) => unknown = Reflect.get(
    LocalParticipant.prototype,
    'setAttributes',
  );
  // Sends the request and never gets the answer, as when a real answer arrives before the SDK listens for it.
  using _ = vi
    .spyOn(LocalParticipant.prototype, 'setAttributes')
    .mockImplementation(async function (this: LocalParticipant, attributes) {
      await Reflect.apply(setAttributes, this, [attributes]);
      await once(new EventTarget(), 'never');
    });
  await using ann = await joinAsUser(server, room, 'Ann');
  await untilJoined(recorder, ann);
  await ann.say('hello');
  await expect
    .poll(() => recorder.events.at(-1))
    .toMatchObject({ type: 'packet', sender: { identity: ann.identity } });
});

test('a join waits for the answer of the server, not only for our own change', async () => {
  const setAttributes: (...args: never) => Promise<void> = Reflect.get(
    LocalParticipant.prototype,
    'setAttributes',
  );
  let isAnswered = false;
  using _ = vi
    .spyOn(LocalParticipant.prototype, 'setAttributes')
    .mockImplementation(async function (this: LocalParticipant, attributes) {
      if (!('announcedAt' in attributes)) return;
      // The real answer may be lost, which the SDK notices long after this test.
      void Reflect.apply(setAttributes, this, [attributes]).catch(() => {});
      const isChanged = () => this.attributes['announcedAt'] === attributes['announcedAt'];
      await vi.waitUntil(isChanged, { timeout: 30_000 });
      isAnswered = true;
    });
  await using ann = await joinAsUser(testMedia(), makeRoomName(), 'Ann');
  expect({ identity: ann.identity, isAnswered }).toEqual({
    identity: expect.stringMatching('user-ann'),
    isAnswered: true,
  });
});

test('a participant that leaves at once is seen, although the server drops one of its announcements', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  const setAttributes: (...args: never) => Promise<void> = Reflect.get(
    LocalParticipant.prototype,
    'setAttributes',
  );
  let announced = Promise.resolve();
  // The server also answers an announcement that it drops.
  using _ = vi
    .spyOn(LocalParticipant.prototype, 'setAttributes')
    .mockImplementation(async function (this: LocalParticipant, attributes) {
      const isDropped = 'announcedAt' in attributes;
      if (!isDropped) announced = Reflect.apply(setAttributes, this, [attributes]);
      await announced.catch(() => {});
    });
  const ann = await joinAsUser(server, room, 'Ann');
  await ann.leave();
  const types = () => recorder.events.map(({ type }) => type);
  await expect.poll(types).toEqual(['participant_joined', 'participant_left']);
});

test('after a restart of the server a participant is back and has announced itself again', async () => {
  await using server = await startMediaServer();
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  const rooms = new RoomServiceClient(server.url, server.apiKey, server.apiSecret);
  const announced = async () => {
    const listed = await rooms.listParticipants(room).catch(() => []);
    return (
      listed.find(({ identity }) => identity === ann.identity)?.attributes['announcedAt'] ?? ''
    );
  };
  const before = await announced();
  await server.kill();
  await server.start();
  await expect.poll(async () => (await announced()) > before).toBe(true);
});

test('events wait until the room can be used: the first answer has its sender, and none is lost', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  await using ann = await joinAsUser(server, room, 'Ann');
  const talk = new AbortController();
  const talking = (async () => {
    for (let number = 0; !talk.signal.aborted; number += 1) await ann.sendPacket({ number });
  })();
  const received: RoomEvent[] = [];
  await using bob = await joinAsUser(server, room, 'Bob', {
    onEvent: async (event, joined) => {
      received.push(event);
      if (received.length > 1) return;
      await untilJoined(recorder, joined);
      await joined.say('I hear you');
    },
  });
  const answer = () =>
    recorder.events.find(
      (event) =>
        event.type === 'packet' && Buffer.from(event.payload).toString().includes('I hear you'),
    );
  await expect.poll(answer).toMatchObject({ sender: { identity: bob.identity } });
  await expect.poll(() => received.length).toBeGreaterThan(20);
  talk.abort();
  await talking;
  const numbers = packetsIn(received).map((packet) => Object(packet).number);
  expect(numbers).toEqual(numbers.map((_, index) => numbers[0] + index));
});

test('an error that onEvent throws or rejects with is reported, and ends nothing', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const errors: unknown[] = [];
  let count = 0;
  await using bob = await joinAsUser(server, room, 'Bob', {
    onEvent(event) {
      if (event.type === 'packet') count += 1;
      if (count === 1) throw new Error('thrown');
      if (count === 2) return Promise.reject(new Error('rejected'));
      return undefined;
    },
    onError: (error) => void errors.push(error),
  });
  await using ann = await joinAsUser(server, room, 'Ann');
  for (const text of ['one', 'two', 'three']) await ann.say(text);
  await expect.poll(() => count).toBe(3);
  expect(errors.map(String)).toEqual(['Error: thrown', 'Error: rejected']);
  // Ann's packets may overtake her announcement.
  await expect.poll(() => bob.participants).toMatchObject([{ name: 'Ann' }]);
});

test('media_unavailable, without the token, for a token that is forged or expired', async () => {
  const server = testMedia();
  const room = makeRoomName();
  const forged = await userToken(
    { ...server, apiSecret: 'wrong'.repeat(8) },
    { room, userId: 'u', name: 'U' },
  );
  const expired = await agentToken(server, { room, role: 'r', agentId: 'a', lifetimeSeconds: -90 });
  for (const { token } of [forged, expired]) {
    const failure: unknown = await joinRoom({ url: server.url, token }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'media_unavailable' });
    expect(String(failure)).toContain('401');
    expect(inspect(failure)).not.toMatch(/eyJ\w/);
  }
  expect(await openRoomService(server).listParticipants(room)).toEqual([]);
});

test('media_unavailable when the server does not answer in time', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await expect.poll(() => silent.listening).toBe(true);
  const address = silent.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const joining = joinRoom({ url: `ws://127.0.0.1:${port}`, token: 'any', timeoutMs: 100 });
  await expect(joining).rejects.toMatchObject({ code: 'media_unavailable' });
  silent.close();
});

test('a join that succeeds after its time-out is undone', async () => {
  await using server = await startMediaServer();
  const { client } = sdkInternals();
  const others = client.listeners('ffi_event');
  const { token } = await userToken(server, { room: makeRoomName(), userId: 'u', name: 'U' });
  process.kill(server.pid, 'SIGSTOP');
  const joining = joinRoom({ url: server.url, token, timeoutMs: 200 });
  await expect(joining).rejects.toMatchObject({ code: 'media_unavailable' });
  const own = client.listeners('ffi_event').filter((one) => !others.includes(one));
  expect(own).not.toEqual([]);
  process.kill(server.pid, 'SIGCONT');
  const left = () => client.listeners('ffi_event').filter((one) => own.includes(one));
  await expect.poll(left).toEqual([]);
});
