import { once } from 'node:events';
import { encodePacket } from '@session/contract/room';
import { appendMessages } from '@session/db';
import { SenderRates } from '@session/kit';
import { type JoinedRoom, openRoomService } from '@session/media';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import { health, startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { type HistoryRow, REAL_CLOCK, TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import type { StorableMessage } from '../message-path.ts';
import { createLog } from '../process/log.ts';
import { FloodGate } from './flood-gate.ts';
import { SkipCounts } from './skip-counts.ts';

/** A tenth of the usual rate, so that a flood needs only a tenth of the messages. */
const RATE = 2;
const BURST = 60 * RATE;
const FLOOD = 4 * BURST;
const LIMITED = { senderMessagesPerSecond: RATE };

/** Sends `count` texts as fast as the room takes them. */
async function flood(sender: JoinedRoom, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 40) {
    const batch = Array.from({ length: Math.min(40, count - sent) }, (_, index) => sent + index);
    await Promise.all(batch.map((number) => sender.say(`flood ${number}`)));
  }
}

const textsOf = (history: readonly HistoryRow[], prefix: string) =>
  history.flatMap(({ kind, content }) =>
    kind === 'text' && content.startsWith(prefix) ? content : [],
  );

/** Returns the gaps of a history that have the reason `flood`. */
const floodsOf = (history: readonly HistoryRow[]) =>
  history.filter(({ metadata }) => metadata.reason === 'flood');

const countOf = (history: readonly HistoryRow[]) =>
  floodsOf(history).reduce((sum, { metadata }) => sum + (metadata.count ?? 0), 0);

/** Waits until each message of the flood is stored or counted as missing, and returns the history. */
async function floodedHistory(stage: TestStage, sessionId: string, sent: number) {
  return await until(async () => {
    const history = await stage.history(sessionId);
    return textsOf(history, 'flood ').length + countOf(history) >= sent && history;
  });
}

test('four minutes’ worth of messages at once: one minute’s is stored, the rest is a counted gap, and others lose nothing', async ({
  stage,
}) => {
  const recorder = await stage.record({ config: LIMITED });
  const sessionId = await stage.recordedSession();
  const [ana, ben] = [await stage.join(sessionId, 'Ana'), await stage.join(sessionId, 'Ben')];
  const beganAt = REAL_CLOCK.now();
  const flooding = flood(ana, FLOOD);
  const said = Array.from({ length: 100 }, (_, number) => `calm ${number}`);
  for (const words of said) await ben.say(words);
  await flooding;
  await stage.historyWith(sessionId, ({ content }) => content === said.at(-1));
  const history = await floodedHistory(stage, sessionId, FLOOD);
  const seconds = (REAL_CLOCK.now() - beganAt) / 1000;
  const stored = textsOf(history, 'flood ').length;
  expect(stored).toBeGreaterThanOrEqual(BURST);
  expect(stored).toBeLessThanOrEqual(BURST + RATE * seconds + 1);
  expect(stored + countOf(history)).toBe(FLOOD);
  expect(textsOf(history, 'calm ')).toEqual(said);
  for (const { content, role, metadata } of floodsOf(history)) {
    const { count, from = '', to = '' } = metadata;
    expect(content).toBe(
      `${count} messages of Ana were not recorded from ${from} to ${to} (flood)`,
    );
    expect([role, metadata.participant?.name, metadata.rawId]).toEqual(['system', 'Ana', null]);
    expect(Date.parse(from)).toBeGreaterThanOrEqual(beganAt);
    expect(Date.parse(to)).toBeGreaterThan(Date.parse(from));
  }
  // The time of the flood counts as covered, because all other senders are recorded.
  expect((await stage.gaps(sessionId)).left).toEqual([]);
  expect(recorder.health().skipped['flood']).toBe(FLOOD - stored);
});

test('two recorders of a session: stored once, and one of them reports what is missing', async ({
  stage,
}) => {
  const sessionId = await stage.createSession();
  for (let count = 0; count < 2; count += 1) {
    await stage.record({ config: { ...LIMITED, redundancy: 2 } });
  }
  await until(async () => {
    const [row] = await stage.database.sql<{ count: number }[]>`
      select count(*)::int from recording_intervals where session_id = ${sessionId} and to_at is null`;
    return row?.count === 2;
  });
  const ana = await stage.join(sessionId, 'Ana');
  const beganAt = REAL_CLOCK.now();
  await flood(ana, FLOOD);
  const history = await floodedHistory(stage, sessionId, FLOOD);
  const seconds = (REAL_CLOCK.now() - beganAt) / 1000;
  const stored = textsOf(history, 'flood ');
  expect(new Set(stored).size).toBe(stored.length);
  expect(stored.length).toBeLessThanOrEqual(BURST + 2 * (RATE * seconds + 1));
  // The leader may count what the other recorder stores: after the first minute's worth, up to the rate.
  const counted = stored.length + countOf(history);
  expect(counted).toBeGreaterThanOrEqual(FLOOD);
  expect(counted).toBeLessThanOrEqual(FLOOD + RATE * seconds + 1);
});

test('a recorder is killed before it reports a flood: what it left out lies in the gap of its death', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  const env = { ...stage.env(temp.folder), SENDER_MESSAGES_PER_SECOND: String(RATE) };
  await using killed = await startRecorderProcess(env);
  await stage.untilRecording(sessionId);
  const ana = await stage.join(sessionId, 'Ana');
  await flood(ana, FLOOD);
  const storedTexts = async () => textsOf(await stage.history(sessionId), 'flood ');
  const leftOut = async () => Number(Object((await health(killed))['skipped']).flood ?? 0);
  await until(async () => (await leftOut()) > 0);
  let sent = FLOOD;
  // After half a second, the rate allows one more message.
  await until(async () => {
    await ana.say(`flood ${sent}`);
    sent += 1;
    return (await storedTexts()).some((text) => Number(text.slice('flood '.length)) >= FLOOD);
  });
  // Every message is stored or left out. The flood is reported only 10 s after it began.
  await until(async () => (await storedTexts()).length + (await leftOut()) === sent);
  const last = (await stage.history(sessionId)).findLast(({ kind }) => kind === 'text');
  await until(async () => {
    const marks = await stage.database.sql`
      select 1 from recording_intervals
      where session_id = ${sessionId} and unsure_from < ${last?.at ?? ''}`;
    return marks.length > 0;
  });
  const exit = once(killed.child, 'exit');
  killed.child.kill('SIGKILL');
  await exit;
  await using next = await startRecorderProcess(env);
  await stage.untilRecording(sessionId);
  const { left } = await until(async () => {
    const gaps = await stage.gaps(sessionId);
    return gaps.reported.length > 0 && gaps;
  });
  expect(next.child.exitCode).toBe(null);
  expect(left).toMatchObject([{ reason: 'recorder_died' }]);
  const [{ from = '' } = {}] = left as { from?: string }[];
  expect(Date.parse(from)).toBeLessThan(Date.parse(last?.at ?? ''));
  expect((await storedTexts()).length).toBeLessThan(sent);
});

/** Opens a gate for two messages a minute of each sender. */
function openGate(reportMs = 2 ** 31 - 1) {
  const passed: StorableMessage[] = [];
  const reports: StorableMessage[] = [];
  const gate = new FloodGate({
    sessionId: 's',
    rates: new SenderRates(2 / 60),
    writer: { push: (message) => passed.push(message) },
    leadership: { push: (message) => reports.push(message) },
    reportMs,
    skipped: new SkipCounts(),
    log: createLog('silent'),
  });
  const push = (
    identity: string | null,
    at: number,
    content = 'x',
    kind: 'text' | 'participant_left' = 'text',
    transcribers?: string[],
    isOfApi?: true,
  ) => {
    const participant =
      identity === null ? null : { identity, name: '', sid: null, kind: 'standard' };
    const message = textMessage('s', content);
    const named = { participant, kind, rawId: message.id };
    const metadata = { ...message.metadata, ...named, ...(transcribers && { transcribers }) };
    gate.push({ ...message, kind, metadata, receivedAt: at, ...(isOfApi && { isOfApi }) });
  };
  return { gate, passed, reports, push };
}

test('a message with a raw id goes to the history writer, any other to the leader or standby', () => {
  const { gate, passed, reports, push } = openGate();
  push('ann', 1000);
  gate.push(textMessage('s', 'nameless'));
  expect([passed, reports]).toMatchObject([[{ content: 'x' }], [{ content: 'nameless' }]]);
});

test('all stays of one user are one sender; a sender that is not known has a rate too, and each flood is reported once', () => {
  const { gate, passed, reports, push } = openGate();
  const user = `user-${uuidv7()}`;
  for (const stay of ['1', '2', '3']) push(`${user}-${stay}`, 1000);
  for (let count = 0; count < 4; count += 1) push(null, 2000);
  expect([passed.length, gate.unreportedSince]).toEqual([4, 1000]);
  gate.reportAll();
  gate.reportAll();
  expect(reports.map(({ metadata: { count, from, to } }) => [count, from, to])).toEqual([
    [1, '1970-01-01T00:00:01.000Z', '1970-01-01T00:00:01.001Z'],
    [2, '1970-01-01T00:00:02.000Z', '1970-01-01T00:00:02.001Z'],
  ]);
  expect(reports[1]?.content).toMatch(/^2 messages of an unknown sender were not recorded from /);
  expect(gate.unreportedSince).toBe(Infinity);
});

test('a flood is reported 10 s after its first message, and what its sender loses after that is the next one', async () => {
  startVirtualTime();
  const { reports, push } = openGate(10_000);
  for (const at of [0, 0, 1000, 2000]) push('ana', at);
  await passTime(9999);
  expect(reports).toEqual([]);
  push('ana', 10_999);
  await passTime(1);
  push('ana', 11_000);
  await passTime(9999);
  expect(reports.map(({ metadata: { count } }) => count)).toEqual([3]);
  await passTime(1);
  expect(reports.map(({ metadata: { count } }) => count)).toEqual([3, 1]);
});

test('a leave passes whatever its participant sent, and long texts count by their bytes', () => {
  const { passed, push } = openGate();
  push('ana', 0, 'x'.repeat(4096));
  push('ana', 0);
  push('ana', 0, 'left', 'participant_left');
  expect(passed.map(({ kind }) => kind)).toEqual(['text', 'participant_left']);
});

test('what an agent writes in the name of a person counts as the words of the agent', () => {
  const { gate, passed, reports, push } = openGate();
  for (let count = 0; count < 5; count += 1) push('ana', 0, 'I agree', 'text', ['agent-1']);
  push('ana', 0, 'I do not');
  gate.reportAll();
  expect(passed.map(({ content }) => content)).toEqual(['I agree', 'I agree', 'I do not']);
  expect(reports.map(({ metadata }) => metadata.participant?.identity)).toEqual(['agent-1']);
});

test('what one of several agents writes in the name of a person is a flood of one of them, and of no invented participant', () => {
  const { gate, passed, reports, push } = openGate();
  for (const transcribers of [['agent-1', 'agent-2'], []]) {
    for (let count = 0; count < 3; count += 1) push('ana', 0, 'I agree', 'text', transcribers);
  }
  push('ana', 0, 'I do not');
  gate.reportAll();
  expect(passed).toHaveLength(5);
  expect(
    reports.map(({ metadata: { participant, candidates } }) => [participant, candidates]),
  ).toEqual([
    [null, ['agent-1', 'agent-2']],
    [null, []],
  ]);
  expect(reports[0]?.content).toMatch(/^1 messages of an unknown sender were not recorded/);
});

test('what the API sends counts for no unknown sender, and what is left out of it is no gap: the API has stored it', () => {
  const { gate, passed, reports, push } = openGate();
  for (let count = 0; count < 4; count += 1) push(null, 0, 'over REST', 'text', undefined, true);
  for (let count = 0; count < 2; count += 1) push(null, 0, 'of a stranger');
  gate.reportAll();
  const [ours, theirs] = [Array(2).fill('over REST'), Array(2).fill('of a stranger')];
  expect(passed.map(({ content }) => content)).toEqual([...ours, ...theirs]);
  expect([reports, gate.unreportedSince]).toEqual([[], Infinity]);
});

test('whether a sender is too fast can be asked without a message that counts', () => {
  const { gate, push } = openGate();
  const isTooFast = (identity: string) =>
    gate.isTooFast({ sender: { identity, name: '', sid: null, kind: 'agent' }, receivedAt: 0 });
  for (let count = 0; count < 5; count += 1) expect(isTooFast('agent-1')).toBe(false);
  for (let count = 0; count < 2; count += 1) push('agent-1', 0);
  expect([isTooFast('agent-1'), isTooFast('agent-2')]).toEqual([true, false]);
});

test('12 people write 60 texts over REST, five times what one sender may at once: no flood, and a stranger is recorded', async ({
  stage,
}) => {
  const recorder = await stage.record({ config: { senderMessagesPerSecond: 0.2 } });
  const sessionId = await stage.recordedSession();
  const rooms = openRoomService(stage.media);
  const people = Array.from({ length: 12 }, () => `user-${uuidv7()}`);
  const sayByApi = async (identity: string, data: string) => {
    const packet = { type: 'user_text', data, id: uuidv7() } as const;
    const participant = { identity, name: '', sid: null, kind: 'standard' };
    const message = textMessage(sessionId, data);
    const metadata = { ...message.metadata, participant, rawId: packet.id };
    await appendMessages(stage.database, [{ ...message, id: packet.id, metadata }]);
    await rooms.sendPacket(sessionId, { ...packet, sender: { identity, name: '' } });
  };
  for (let round = 0; round < 5; round += 1) {
    await Promise.all(people.map((person) => sayByApi(person, `REST ${round}`)));
  }
  const stranger = await stage.joinAsForeigner(sessionId);
  const payload = encodePacket({ type: 'user_text', data: 'the end' });
  await stranger.publishData(payload, { reliable: true });
  await stage.historyWith(sessionId, ({ content }) => content === 'the end');
  expect(textsOf(await stage.history(sessionId), 'REST ')).toHaveLength(60);
  expect(recorder.health().skipped).not.toHaveProperty('flood');
});
