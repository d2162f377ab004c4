import { randomUUID } from 'node:crypto';
import { Room } from '@livekit/rtc-node';
import type { RoomEvent } from '@session/contract/room';
import { quietSdk } from '../src/quiet-sdk.ts';
import { listenToRoom } from '../src/room/listen-to-room.ts';
import { releaseRoom } from '../src/room/release-room.ts';
import { roomOptions } from '../src/room/room-options.ts';
import type { MediaServer } from '../src/server/media-server.ts';
import { recorderToken } from '../src/server/tokens.ts';

/** Joins as a recorder, which also receives what is sent again. */
export async function recordRoom(
  server: MediaServer,
  room: string,
  event: (event: RoomEvent) => void,
): Promise<AsyncDisposable> {
  const { token } = await recorderToken(server, { room, identity: `recorder-${randomUUID()}` });
  quietSdk();
  const leaving = new AbortController();
  const sdkRoom = new Room();
  listenToRoom(sdkRoom, {
    event,
    error: (error) => {
      throw error;
    },
    leaving: leaving.signal,
    receivesResent: true,
  });
  await sdkRoom.connect(server.url, token, roomOptions());
  return {
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await releaseRoom(sdkRoom);
    },
  };
}
