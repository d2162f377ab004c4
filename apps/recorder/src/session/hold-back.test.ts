import { updateHeartbeat } from '@session/db';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { addTestLeader } from '../../testing/leader.ts';
import { FAST, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

test('a new recorder stores its messages when the leader has stored those before them, not earlier', async ({
  stage,
}) => {
  const sessionId = await stage.createSession({ isNotified: false });
  const leader = await addTestLeader(stage, sessionId);
  const rooms = openRoomService(stage.media);
  let asked = 0;
  let beats = 0;
  const recorderId = uuidv7();
  const recorder = await stage.record({
    recorderId,
    timing: { ...FAST, overtakeMs: 600_000 },
    rooms: {
      ...rooms,
      listParticipants(room) {
        asked += 1;
        return rooms.listParticipants(room);
      },
    },
    queries: {
      updateHeartbeat(heartbeat) {
        beats += 1;
        return updateHeartbeat(stage.database, heartbeat);
      },
    },
  });
  await stage.untilRecording(sessionId);
  // The recorder looks up a sender who is not announced, which shows that it has received the packet.
  const speaker = await stage.joinAsForeigner(sessionId);
  const saidAt = Date.now();
  const packet = { type: 'user_text', data: 'hello', id: uuidv7() };
  await speaker.publishData(new TextEncoder().encode(JSON.stringify(packet)), { reliable: true });
  await until(() => asked > 0);
  const before = beats;
  await until(() => beats > before + 5 && recorder.health().queueLength === 0);
  expect(await stage.history(sessionId)).toEqual([]);
  // If the recorder died now, its interval would end before the message.
  const [row] = await stage.database.sql<{ at: string }[]>`
    select least(recorder.flushed_at, part.unsure_from) as at
    from recorders recorder join recording_intervals part on part.recorder_id = recorder.id
    where recorder.id = ${recorderId}`;
  expect(Date.parse(row?.at ?? '')).toBeLessThan(saidAt);
  await leader.flushed(Date.now() + 60_000);
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  expect(history.map(({ content }) => content)).toContain('hello');
});

test('a leader that stores nothing is waited for, but not for ever', async ({ stage }) => {
  const sessionId = await stage.createSession({ isNotified: false });
  await addTestLeader(stage, sessionId);
  await stage.record({ timing: { ...FAST, overtakeMs: 250 } });
  await stage.untilRecording(sessionId);
  const ana = await stage.join(sessionId);
  const id = await ana.say('hello');
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  expect(history.at(-1)).toMatchObject({ id, content: 'hello' });
});
