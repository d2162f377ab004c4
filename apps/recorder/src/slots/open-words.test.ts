import { once } from 'node:events';
import { TRANSCRIPTION_TOPIC } from '@session/contract/room';
import { pause } from '@session/kit';
import { type JoinedRoom, openRoomService } from '@session/media';
import { expect } from 'vitest';
import { startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { FAST, type HistoryRow, TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { TIMING } from '../timing.ts';

const EVERY_MS = 250;
/** The kill comes about 8 s after the first checkpoint. */
const WORDS = 18_000 / EVERY_MS;
/** How long a word may take from its sender to the recorder. A gap begins when a word is received. */
const TRAVEL_MS = 1000;
/** One heartbeat, and the time that a busy machine may take to notice, to store and to send it. */
const SLACK_MS = 4000;

/** Words of one sender, in the order in which they were said, and when each was said. */
interface Said {
  readonly words: string[];
  readonly times: number[];
}

/** Says words for 18 s. `send` gets all words so far, and the newest. */
async function say(send: (sentence: string, word: string) => Promise<void>): Promise<Said> {
  const said: Said = { words: [], times: [] };
  while (said.words.length < WORDS) {
    const word = `word-${said.words.length} `;
    said.words.push(word);
    said.times.push(Date.now());
    await send(said.words.join(''), word);
    await pause(EVERY_MS, new AbortController().signal);
  }
  return said;
}

/** Publishes interim transcripts of one segment, each with all words so far. */
async function sendInterim(room: JoinedRoom, sentence: string): Promise<void> {
  const attributes = { 'lk.segment_id': 'SG_1', 'lk.transcription_final': 'false' };
  await room.sendText(TRANSCRIPTION_TOPIC, sentence, attributes);
}

/** Returns when the first word was said that the history lacks. */
function lostSince({ words, times }: Said, row: HistoryRow | undefined): number {
  const content = row?.content ?? '';
  const count = words.findIndex(
    (_, index) => !content.startsWith(words.slice(0, index + 1).join('')),
  );
  return count < 0 ? Number.POSITIVE_INFINITY : (times[count] ?? Number.NaN);
}

test('killed while a stream and a segment of 18 s are open: all words are stored, but for those in a gap of 10 s', {
  // The words alone take 18 s.
  timeout: 90_000,
}, async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const sessionIds = [await stage.createSession(), await stage.createSession()] as const;
  await using program = await startRecorderProcess(stage.env(temp.folder));
  for (const sessionId of sessionIds) await stage.untilRecording(sessionId);
  const [agent, person] = [await stage.joinAsAgent(sessionIds[0]), await stage.join(sessionIds[1])];
  const stream = await agent.openText(TRANSCRIPTION_TOPIC);
  const all = await Promise.all([
    say((_, word) => stream.write(word)),
    say((sentence) => sendInterim(person, sentence)),
  ]);
  const exit = once(program.child, 'exit');
  const killedAt = Date.now();
  program.child.kill('SIGKILL');
  await exit;
  await using _ = await startRecorderProcess(stage.env(temp.folder));
  for (const [index, sessionId] of sessionIds.entries()) {
    const gaps = await until(async () => {
      const { reported } = await stage.gaps(sessionId);
      return reported.length > 0 && reported;
    });
    const [gap] = gaps;
    const from = Date.parse(String(gap && 'from' in gap && gap.from));
    const history = await stage.history(sessionId);
    const row = history.find(({ kind }) => kind === 'transcript');
    expect(row).toMatchObject({ status: 'pending' });
    const said = all[index];
    // No word is missing before the gap, and the gap begins at most 10 s before the kill.
    expect(from).toBeLessThanOrEqual(said ? lostSince(said, row) + TRAVEL_MS : Number.NaN);
    expect(from).toBeGreaterThan(killedAt - TIMING.checkpointMs - SLACK_MS);
    expect(gaps).toHaveLength(1);
  }
});

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

/** Returns when the message came at the latest: a message stands in the history at its receipt, or later. */
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
  await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_joined');
  const joinStoredAt = Date.now();
  // On a busy machine the join is marked, too. While its mark is there, it stands for what comes later.
  await until(async () => {
    const marks = await readMarks(stage, sessionId, other);
    return marks.marked === null && marks.flushed > joinStoredAt;
  });
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

test('a packet that waits for its sender marks its session alone, until it is stored', async ({
  stage,
}) => {
  const rooms = openRoomService(stage.media);
  const answered = Promise.withResolvers<void>();
  await stage.record({
    timing: { ...FAST, senderMs: 60_000 },
    rooms: {
      ...rooms,
      async listParticipants(room) {
        await answered.promise;
        return await rooms.listParticipants(room);
      },
    },
  });
  const sessionId = await stage.recordedSession();
  const other = await stage.recordedSession();
  const foreigner = await stage.joinAsForeigner(sessionId);
  const packet = { type: 'user_text', data: 'hello', id: 'said once' };
  const saidAt = Date.now();
  await foreigner.publishData(Buffer.from(JSON.stringify(packet)), { reliable: true });
  const { marked, others } = await untilMarked(stage, sessionId, other);
  expect(marked).toBeGreaterThanOrEqual(saidAt - TRAVEL_MS);
  expect(others).toBe(0);
  answered.resolve();
  expect(marked).toBeLessThanOrEqual(await receivedBy(stage, sessionId, 'hello'));
  await until(async () => (await readMarks(stage, sessionId, other)).marked === null);
});
