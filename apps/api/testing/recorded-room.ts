import { decode, type RoomEvent } from '@session/contract/room';
import * as db from '@session/db';
import { joinRoom, userToken } from '@session/media';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import type { TestApi } from './api.ts';

export interface RecordedRoom extends AsyncDisposable {
  readonly events: readonly RoomEvent[];
}

/** Joins a room as a person, and stores what arrives there in the history, as a recorder does. */
export async function recordRoom({ deps }: TestApi, sessionId: string): Promise<RecordedRoom> {
  const events: RoomEvent[] = [];
  const { url } = testMedia();
  const { token } = await userToken(testMedia(), { room: sessionId, userId: 'rita', name: 'Rita' });
  const writes: Promise<unknown>[] = [];
  const onEvent = (event: RoomEvent) => {
    events.push(event);
    const decoded = decode(event, { sessionId, newId: uuidv7 });
    if (decoded.outcome !== 'store') return;
    const { status, ...message } = decoded.message;
    const row = { ...message, status: status ?? 'complete' };
    writes.push(db.appendMessages(deps.database, [row]));
  };
  const room = await joinRoom({ url, token, onEvent });
  return {
    events,
    async [Symbol.asyncDispose]() {
      await room.leave();
      await Promise.all(writes);
    },
  };
}
