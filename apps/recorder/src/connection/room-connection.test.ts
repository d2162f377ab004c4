import { openRoomService, recorderToken } from '@session/media';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createLog } from '../log.ts';
import { FAST, until } from '../test-recorder.ts';
import { RoomConnection } from './room-connection.ts';
import { RoomLink } from './room-link.ts';

test('closing waits for the attempt that is under way, and leaves the room that it brings', async () => {
  const media = testMedia();
  const rooms = openRoomService(media);
  const room = uuidv7();
  await rooms.createRoom(room);
  const seen: string[] = [];
  const closed = Promise.withResolvers<void>();
  const isOpening = Promise.withResolvers<void>();
  const connection = new RoomConnection(
    {
      async connect(suffix) {
        if (suffix !== '') {
          isOpening.resolve();
          // An attempt that takes its time: until the connection is closed, if that does not wait.
          await Promise.race([closed.promise, new Promise((resolve) => setTimeout(resolve, 500))]);
        }
        const { token } = await recorderToken(media, { room, identity: `recorder-1${suffix}` });
        const link = await RoomLink.connect(
          { url: media.url, token, timeoutMs: FAST.connectMs },
          (error) => seen.push(String(error)),
        );
        seen.push(`opened ${suffix}`);
        return link;
      },
      sendTo: async () => {},
      inTurn: (work) => work(),
      verify: async () => {},
      log: createLog('silent'),
      timing: FAST,
    },
    { changed() {}, connected() {}, interrupted() {}, event() {} },
  );
  await until(() => connection.state === 'recording');
  await rooms.removeParticipant(room, 'recorder-1');
  await isOpening.promise;
  await connection.close();
  seen.push('closed');
  closed.resolve();
  await until(() => seen.includes('opened .1'));
  expect(seen).toEqual(['opened ', 'opened .1', 'closed']);
  await until(async () => (await rooms.listParticipants(room)).length === 0);
  await rooms.deleteRoom(room);
});
