import { LocalParticipant } from '@livekit/rtc-node';
import { startMediaServer, testMedia } from '@session/testing';
import { RoomServiceClient } from 'livekit-server-sdk';
import { expect, test, vi } from 'vitest';
import { joinAsUser, makeRoomName } from '../testing/rooms.ts';
import type { MediaServer } from './server/media-server.ts';

async function attributesOf(server: MediaServer, room: string): Promise<Record<string, string>> {
  const rooms = new RoomServiceClient(server.url, server.apiKey, server.apiSecret);
  const [participant] = await rooms.listParticipants(room).catch(() => []);
  return participant?.attributes ?? {};
}

test('attributes are set, changed and deleted one by one, and the others stay', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  await ann.setAttributes({ state: 'thinking', mood: 'good' });
  await Promise.all([ann.setAttributes({ state: 'speaking' }), ann.setAttributes({ mood: '' })]);
  const { announcedAt, ...others } = await attributesOf(server, room);
  expect(announcedAt).toMatch(/^20/);
  expect(others).toEqual({ state: 'speaking' });
});

test('setting attributes ends although the SDK misses the server’s answer, and the last value stands', async () => {
  const server = testMedia();
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  const setAttributes: (...args: never) => unknown = Reflect.get(
    LocalParticipant.prototype,
    'setAttributes',
  );
  using _ = vi
    .spyOn(LocalParticipant.prototype, 'setAttributes')
    .mockImplementation(async function (this: LocalParticipant, attributes) {
      await Reflect.apply(setAttributes, this, [attributes]);
      await Promise.withResolvers<void>().promise;
    });
  for (const state of ['thinking', 'speaking', 'listening']) await ann.setAttributes({ state });
  expect(await attributesOf(server, room)).toMatchObject({ state: 'listening' });
});

test('after a restart of the server our attributes are there again', async () => {
  await using server = await startMediaServer();
  const room = makeRoomName();
  await using ann = await joinAsUser(server, room, 'Ann');
  await ann.setAttributes({ state: 'speaking' });
  await ann.setAttributes({ state: 'listening' });
  await server.kill();
  await server.start();
  const state = async () => (await attributesOf(server, room))['state'];
  await expect.poll(state).toBe('listening');
});

test('media_unavailable for attributes after we left', async () => {
  const ann = await joinAsUser(testMedia(), makeRoomName(), 'Ann');
  await ann.leave();
  const late = ann.setAttributes({ state: 'listening' });
  await expect(late).rejects.toMatchObject({ code: 'media_unavailable' });
});
