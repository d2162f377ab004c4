import { Room, RoomEvent } from '@livekit/rtc-node';
import { agentToken, openRoomService, releaseRoom, roomOptions } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, vi } from 'vitest';
import { FAST, type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

/** How long a word may take from its sender to the recorder. */
const TRAVEL_MS = 1000;

/** Returns the mark of a session, the number of marks of another one, and until when everything else is stored. */
async function readMarks(stage: TestStage, sessionId: string, other: string) {
  const [row] = await stage.database.sql<
    { marked: number | null; others: number; flushed: number }[]
  >`
    select
      (extract(epoch from max(unsure_from) filter (where session_id = ${sessionId})) * 1000)::float8 as marked,
      count(unsure_from) filter (where session_id = ${other})::int as others,
      (extract(epoch from min(recorder.flushed_at)) * 1000)::float8 as flushed
    from recording_intervals join recorders recorder on recorder.id = recorder_id`;
  return row ?? { marked: Number.NaN, others: Number.NaN, flushed: Number.NaN };
}

/** Returns the marks as soon as the session has one, and everything else is stored until a second after that mark. */
async function untilMarked(stage: TestStage, sessionId: string, other: string) {
  return await until(async () => {
    const { marked, others, flushed } = await readMarks(stage, sessionId, other);
    return marked !== null && flushed > marked + TRAVEL_MS && { marked, others };
  });
}

/** On a busy machine, the join gets a mark too. That mark would also stand for later words. */
async function untilJoinStored(stage: TestStage, sessionId: string): Promise<void> {
  await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_joined');
  const joinStoredAt = Date.now();
  await until(async () => {
    const { marked, flushed } = await readMarks(stage, sessionId, uuidv7());
    return marked === null && flushed > joinStoredAt;
  });
}

/**
 * Returns the latest time at which the message may have been received: its row has the time of receipt, or a later one.
 */
async function receivedBy(stage: TestStage, sessionId: string, text: string): Promise<number> {
  const history = await stage.historyWith(sessionId, ({ content }) => content === text);
  return Date.parse(history.find(({ content }) => content === text)?.at ?? '');
}

test('a session whose head is locked marks its session alone, until its message is stored', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const other = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await untilJoinStored(stage, sessionId);
  const marked = await stage.database.sql.begin(async (sql) => {
    await sql`set local idle_in_transaction_session_timeout = 0`;
    await sql`select from session_heads where session_id = ${sessionId} for update`;
    const saidAt = Date.now();
    await ana.say('hello');
    const marks = await untilMarked(stage, sessionId, other);
    expect(marks.marked).toBeGreaterThanOrEqual(saidAt - TRAVEL_MS);
    expect(marks.others).toBe(0);
    return marks.marked;
  });
  expect(marked).toBeLessThanOrEqual(await receivedBy(stage, sessionId, 'hello'));
  await until(async () => (await readMarks(stage, sessionId, other)).marked === null);
});

/** Records two sessions, and says `hello` in the first, whose sender is looked up until `answered` is resolved. */
async function sayWithoutSender(stage: TestStage) {
  const rooms = openRoomService(stage.media);
  const answered = Promise.withResolvers<void>();
  const { recorderId } = (
    await stage.record({
      timing: { ...FAST, senderMs: 60_000, checkpointMs: 60_000 },
      rooms: {
        ...rooms,
        async listParticipants(room) {
          await answered.promise;
          return await rooms.listParticipants(room);
        },
      },
    })
  ).health();
  const sessionId = await stage.recordedSession();
  const other = await stage.recordedSession();
  const foreigner = await stage.joinAsForeigner(sessionId);
  const packet = { type: 'user_text', data: 'hello', id: 'said once' };
  const saidAt = Date.now();
  await foreigner.publishData(Buffer.from(JSON.stringify(packet)), { reliable: true });
  const { marked, others } = await untilMarked(stage, sessionId, other);
  return { rooms, recorderId, sessionId, other, saidAt, answered, marked, others };
}

test('a packet that waits for its sender marks its session alone, until it is stored', async ({
  stage,
}) => {
  const { sessionId, other, saidAt, answered, marked, others } = await sayWithoutSender(stage);
  expect(marked).toBeGreaterThanOrEqual(saidAt - TRAVEL_MS);
  expect(others).toBe(0);
  answered.resolve();
  expect(marked).toBeLessThanOrEqual(await receivedBy(stage, sessionId, 'hello'));
  await until(async () => (await readMarks(stage, sessionId, other)).marked === null);
});

/** Returns when the interval of a connection that broke for this reason ended. */
async function untilEnded(stage: TestStage, sessionId: string, reason: string): Promise<number> {
  return await until(async () => {
    const [ended] = await stage.database.sql<{ endedAt: number }[]>`
      select (extract(epoch from to_at) * 1000)::float8 as "endedAt"
      from recording_intervals
      where session_id = ${sessionId} and end_reason = ${reason}`;
    return ended?.endedAt ?? false;
  });
}

test('a connection that breaks while a packet waits for its sender covers nothing from that packet on', async ({
  stage,
}) => {
  const { rooms, recorderId, sessionId, saidAt, answered } = await sayWithoutSender(stage);
  await rooms.removeParticipant(sessionId, `recorder-${recorderId}`);
  const endedAt = await untilEnded(stage, sessionId, 'participant_removed');
  expect(endedAt).toBeGreaterThanOrEqual(saidAt - TRAVEL_MS);
  answered.resolve();
  expect(endedAt).toBeLessThanOrEqual(await receivedBy(stage, sessionId, 'hello'));
});

/**
 * Breaks the connection while a text of an unknown sender is open, which has been marked, and returns the mark and the
 * interval's end.
 */
async function breakInText(stage: TestStage, checkpointMs: number) {
  using connects = vi.spyOn(Room.prototype, 'connect');
  await stage.record({ timing: { ...FAST, checkpointMs } });
  const sessionId = await stage.recordedSession();
  const [recorderRoom] = connects.mock.contexts;
  await using stack = new AsyncDisposableStack();
  const room = new Room();
  stack.defer(() => releaseRoom(room));
  const agent = { room: sessionId, role: 'tester', agentId: uuidv7() };
  const { token } = await agentToken(stage.media, agent);
  await room.connect(stage.media.url, token, roomOptions());
  await room.localParticipant?.setAttributes({ known: 'by now' });
  await untilJoinStored(stage, sessionId);
  // An agent may send texts in another participant's name.
  const options = { topic: 'lk.chat', senderIdentity: 'nobody' };
  const text = await room.localParticipant?.streamText(options);
  await text?.write('hello');
  const { marked } = await untilMarked(stage, sessionId, uuidv7());
  const brokenAt = Date.now();
  if (recorderRoom instanceof Room) recorderRoom.emit(RoomEvent.Reconnecting);
  const endedAt = await untilEnded(stage, sessionId, 'connection_lost');
  return { marked, brokenAt, endedAt };
}

test('a connection that breaks while the text of an unknown sender is open covers nothing from that text on', async ({
  stage,
}) => {
  const { marked, endedAt } = await breakInText(stage, 60_000);
  expect(endedAt).toBe(marked);
});

test('a connection that breaks while an old text of an unknown sender is open covers the time before the last checkpoint', async ({
  stage,
}) => {
  const { brokenAt, endedAt } = await breakInText(stage, TRAVEL_MS / 2);
  expect(endedAt).toBeGreaterThanOrEqual(brokenAt - TRAVEL_MS);
});
