import type { LocalParticipant } from '@livekit/rtc-node';
import { encodePacket } from '@session/contract/room';
import { insertInterval, startRecorder } from '@session/db';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { FAST, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

test('a process that starts as the same recorder takes all its sessions, and the older process stops', async ({
  stage,
}) => {
  const recorderId = uuidv7();
  const first = await stage.record({ recorderId });
  const sessionId = await stage.recordedSession();
  const second = await stage.record({ recorderId });
  await until(() => first.fenced.aborted);
  await until(() => first.health().sessions['recording'] === undefined);
  await until(() => second.health().sessions['recording'] === 1);
  const ana = await stage.join(sessionId);
  const id = await ana.say('hello');
  await stage.historyWith(sessionId, (message) => message.id === id);
  expect(second.fenced.aborted).toBe(false);
});

test('a replaced recorder writes no more intervals, whatever it has not written yet', async ({
  stage,
}) => {
  const recorderId = uuidv7();
  const written: string[] = [];
  let isAway = true;
  const first = await stage.record({
    recorderId,
    queries: {
      async insertInterval(interval) {
        if (isAway) throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
        written.push(interval.id);
        await insertInterval(stage.database, interval);
      },
    },
  });
  await stage.createSession();
  await until(() => first.health().sessions['recording'] === 1);
  await stage.record({ recorderId });
  await until(() => first.fenced.aborted);
  isAway = false;
  await until(() => Object.keys(first.health().sessions).length === 0);
  expect(written).toEqual([]);
});

test('the messages of a replaced recorder are stored, even those that still wait for their sender', async ({
  stage,
}) => {
  const recorderId = uuidv7();
  const rooms = openRoomService(stage.media);
  let isSilent = false;
  let hasLookedUp = false;
  const listParticipants = async (room: string) => {
    if (!isSilent) return await rooms.listParticipants(room);
    hasLookedUp = true;
    return await new Promise<never>(() => {});
  };
  // `senderMs` is longer than it takes to notice the other process, and longer than anything that the end does not wait
  // for. `splitCheckMs` is so long that the first look-up is for the packet's sender.
  const timing = { ...FAST, senderMs: 1500, splitCheckMs: 60_000 };
  const first = await stage.record({
    recorderId,
    timing,
    rooms: { ...rooms, listParticipants },
  });
  const sessionId = await stage.recordedSession();
  await sayWithoutRawId(await stage.joinAsForeigner(sessionId), 'I am here');
  await stage.historyWith(sessionId, ({ content }) => content === 'I am here');
  isSilent = true;
  const foreigner = await stage.joinAsForeigner(sessionId);
  await sayWithoutRawId(foreigner, 'who am I?');
  await until(() => hasLookedUp);
  await startRecorder(stage.database, { id: recorderId, capacity: 9 });
  await until(() => first.fenced.aborted);
  await first.stop(AbortSignal.abort());
  expect((await stage.history(sessionId)).map(({ content }) => content)).toContain('who am I?');
  expect(first.health()).toMatchObject({ queueLength: 0, lost: { unsaved: 0 } });
});

/** Sends a message without an id: only a recorder that leads stores it. */
async function sayWithoutRawId(speaker: LocalParticipant, data: string): Promise<void> {
  await speaker.publishData(encodePacket({ type: 'user_text', data }), { reliable: true });
}
