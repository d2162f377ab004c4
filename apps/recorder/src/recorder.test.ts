import { CHAT_TOPIC, messageIdOf } from '@session/contract/room';
import { appendMessages, listCoverage } from '@session/db';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { FAST, type HistoryRow, until } from '../testing/stage.ts';
import { test } from '../testing/stage-test.ts';
import { PROBE, untilKnown } from '../testing/strangers.ts';

const encoder = new TextEncoder();

/** Returns the kind, the role and the content of each message. */
function lines(history: readonly HistoryRow[]): string[] {
  return history.map(({ kind, role, content }) => `${kind} ${role}: ${content}`);
}

test('a participant who speaks within 20 ms of connecting is recorded as the sender, after their join', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const id = await ana.say('hello');
  const history = await stage.historyWith(sessionId, (message) => message.id === id);
  const participant = { identity: ana.identity, name: 'Ana', kind: 'standard' };
  expect(history).toMatchObject([
    { kind: 'participant_joined', role: 'system', metadata: { participant } },
    { kind: 'text', role: 'user', status: 'complete', content: 'hello', metadata: { participant } },
  ]);
});

test('LiveKit’s own chat message is typed text', async ({ stage }) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const foreigner = await stage.joinAsForeigner(sessionId);
  await foreigner.setAttributes({ known: 'soon' });
  await untilKnown(stage, sessionId, foreigner);
  await foreigner.sendChatMessage('typed');
  const history = await stage.historyWith(sessionId, ({ content }) => content === 'typed');
  expect(lines(history.filter(({ content }) => content !== PROBE))).toEqual([
    'participant_joined system: Foreigner joined',
    'text user: typed',
  ]);
});

test('a participant who is never announced is found as the sender, and the order is kept', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.say('first');
  const foreigner = await stage.joinAsForeigner(sessionId);
  const packet = encoder.encode(JSON.stringify({ type: 'user_text', data: 'second' }));
  await foreigner.publishData(packet, { reliable: true });
  await stage.historyWith(sessionId, ({ content }) => content === 'second');
  await ana.say('third');
  const history = await stage.historyWith(sessionId, ({ content }) => content === 'third');
  expect(lines(history)).toEqual([
    'participant_joined system: Ana joined',
    'text user: first',
    'participant_joined system: Foreigner joined',
    'text user: second',
    'text user: third',
  ]);
  expect(history[3]?.metadata.participant?.identity).toBe(foreigner.identity);
});

test('a text stream of one who was never announced has its sender, with kind and join', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const foreigner = await stage.joinAsForeigner(sessionId);
  await foreigner.sendText('typed', { topic: CHAT_TOPIC });
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  expect(lines(history)).toEqual([
    'participant_joined system: Foreigner joined',
    'text user: typed',
  ]);
  expect(history[1]?.metadata.participant?.kind).toBe('standard');
});

test('each kind of the specification’s table is stored once, under the id of the room', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const agent = await stage.joinAsAgent(sessionId);
  const payloads = [
    'complete_todo_list',
    'plan_deliverable_update',
    'state_change_notification',
  ].map((type) => ({ type, id: uuidv7(), message: `about ${type}`, items: [1, { deep: true }] }));
  for (const payload of payloads) {
    await agent.sendPacket(payload);
    await agent.sendPacket(payload);
  }
  await agent.sendPacket({ type: 'transcript', is_final: true, text: 'I heard', role: 'user' });
  await agent.sendPacket({ type: 'transcript', is_final: true, text: 'I say', id: 'not-a-uuid' });
  const call = { type: 'tool_call', call: 'c1', tool: 'book', message: 'book: called' } as const;
  for (const state of ['started', 'done']) await agent.sendPacket({ ...call, id: uuidv7(), state });
  await agent.sendPacket({ type: 'handover', id: uuidv7(), state: 'requested' });
  await agent.sendPacket({ type: 'conversation_ended', id: uuidv7(), reason: 'booked' });
  const streamId = await agent.sendText(CHAT_TOPIC, 'typed by an agent');
  await agent.leave();
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_left');
  const packets = history.filter(({ content }) => content !== 'typed by an agent');
  expect(lines(packets)).toEqual([
    'participant_joined system: tester joined',
    ...payloads.map(({ type }) => `${type} system: about ${type}`),
    'transcript user: I heard',
    'transcript assistant: I say',
    'tool_call system: book: called',
    'tool_call system: book: called',
    'handover system: Handover: requested',
    'conversation_ended system: The agent ended the conversation.',
    'participant_left system: tester left',
  ]);
  expect(packets[1]?.id).toBe(payloads[0]?.id);
  // The content repeats the payload's `message`, so the payload does not.
  const { message, ...payload } = payloads[0] ?? {};
  expect(packets[1]).toMatchObject({ content: message });
  expect(packets[1]?.metadata.payload).toEqual(payload);
  expect(packets[5]?.id).toBe(messageIdOf(sessionId, 'transcript', 'not-a-uuid'));
  expect(history.find(({ kind }) => kind === 'text')).toMatchObject({
    id: messageIdOf(sessionId, 'text', streamId, agent.identity),
    role: 'assistant',
  });
});

test('partial transcripts, TTS control, audio and unknown packets are not stored, but counted', async ({
  stage,
}) => {
  const recorder = await stage.record();
  const sessionId = await stage.recordedSession();
  const agent = await stage.joinAsAgent(sessionId);
  await agent.sendPacket({ type: 'transcript', is_final: false, text: 'I s' });
  await agent.sendPacket({ type: 'tts_start' });
  await agent.sendPacket({ type: 'audio_chunk', data: 'AAAA' });
  await agent.sendPacket({ type: 'other' });
  await agent.say('a mark');
  const history = await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  expect(history.map(({ kind }) => kind)).toEqual(['participant_joined', 'text']);
  expect(recorder.health().skipped).toEqual({
    partial_transcript: 1,
    tts_control: 1,
    audio_chunk: 1,
    unknown: 1,
  });
});

test('participants who were in the room before the recorder are in the history, and the recorder is not', async ({
  stage,
}) => {
  const sessionId = await stage.createSession();
  const ana = await stage.join(sessionId);
  await stage.record();
  await stage.untilRecording(sessionId);
  await ana.say('hello');
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  const recorded = history.filter(({ kind }) => kind !== 'recording_gap');
  expect(lines(recorded)).toEqual(['participant_joined system: Ana joined', 'text user: hello']);
  expect(ana.participants).toEqual([]);
  // The time from Ana's join until the recorder joined is a gap.
  const coverage = await listCoverage(stage.database, [sessionId]);
  const joinedAt = Date.parse(String(recorded[0]?.metadata.joinedAt));
  expect(coverage.map(({ what, reason }) => [what, reason])).toEqual([
    ['gap', 'not_started'],
    ['coverage', null],
  ]);
  expect(Date.parse(coverage[0]?.from ?? '')).toBe(joinedAt);
});

test('a session without a notification is found by polling', async ({ stage }) => {
  await stage.record();
  const sessionId = await stage.createSession({ isNotified: false });
  await stage.untilRecording(sessionId);
  expect(await stage.countIntervals(sessionId)).toBe(1);
});

test('sessions are shared: each has one recorder, and no session has both', async ({ stage }) => {
  await Promise.all([stage.record(), stage.record()]);
  const sessions = await Promise.all(Array.from({ length: 6 }, () => stage.createSession()));
  await Promise.all(sessions.map((sessionId) => stage.untilRecording(sessionId)));
  const rooms = openRoomService(stage.media);
  for (const sessionId of sessions) {
    const slot = await stage.slot(sessionId);
    const present = await rooms.listParticipants(sessionId);
    expect(present.map(({ identity }) => identity)).toEqual([`recorder-${slot?.recorder_id}`]);
  }
});

test('more sessions than the capacity are recorded, when no other recorder has room', async ({
  stage,
}) => {
  await stage.record({ config: { capacity: 1 } });
  const sessions = await Promise.all([1, 2, 3].map(() => stage.createSession()));
  for (const sessionId of sessions) await stage.untilRecording(sessionId);
  expect(await Promise.all(sessions.map((id) => stage.countIntervals(id)))).toEqual([1, 1, 1]);
});

test('a closed session is left when its last words are over, and its slot is deleted', async ({
  stage,
}) => {
  await stage.record({ timing: { ...FAST, closeMs: 60_000 } });
  const [sessionId, other] = [await stage.recordedSession(), await stage.recordedSession()];
  const ana = await stage.join(sessionId);
  const goodbye = await ana.openText(CHAT_TOPIC);
  await goodbye.write('good');
  await stage.closeSession(sessionId);
  await stage.closeSession(other);
  // Now the recorder has noticed that both sessions are closed.
  await until(async () => (await stage.slot(other)) === undefined);
  await goodbye.write('bye');
  await goodbye.end();
  await until(async () => (await stage.slot(sessionId)) === undefined);
  expect(await stage.history(sessionId)).toMatchObject([
    { kind: 'participant_joined' },
    { kind: 'text', content: 'goodbye', status: 'complete' },
  ]);
  const rooms = openRoomService(stage.media);
  const present = async () =>
    (await rooms.listParticipants(sessionId)).map(({ identity }) => identity);
  await expect.poll(present).toEqual([ana.identity]);
});

test('the slot of a closed session stays until its messages are stored', async ({ stage }) => {
  const isBack = Promise.withResolvers<void>();
  const recorder = await stage.record({
    queries: {
      async appendMessages(batch) {
        await isBack.promise;
        return await appendMessages(stage.database, batch);
      },
    },
  });
  const [sessionId, other] = [await stage.recordedSession(), await stage.recordedSession()];
  await stage.join(sessionId);
  await until(() => recorder.health().queueLength === 1);
  await stage.closeSession(sessionId);
  await stage.closeSession(other);
  await until(async () => (await stage.slot(other)) === undefined);
  expect(await stage.slot(sessionId)).toBeDefined();
  isBack.resolve();
  await until(async () => (await stage.slot(sessionId)) === undefined);
  expect(await stage.history(sessionId)).toMatchObject([{ kind: 'participant_joined' }]);
});

test('the room of a session that was closed before is not joined, which would bring it back', async ({
  stage,
}) => {
  const sessionId = await stage.createSession();
  await stage.closeSession(sessionId);
  await stage.record();
  await until(async () => (await stage.slot(sessionId)) === undefined);
  expect(await openRoomService(stage.media).listRooms()).not.toContain(sessionId);
});
