import { CHAT_TOPIC, messageIdOf } from '@session/contract/room';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { FAST, type StoredMessage, TestStage, until } from './test-recorder.ts';
import { TIMING } from './timing.ts';

const encoder = new TextEncoder();

/** What a test says of a history: who, what. */
function lines(history: readonly StoredMessage[]): string[] {
  return history.map(({ kind, role, content }) => `${kind} ${role}: ${content}`);
}

test('who speaks within 20 ms of connecting is recorded as the sender, after their join', async () => {
  await using stage = await TestStage.open();
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

test('who never announces itself is found out, and keeps its place among the others', async () => {
  await using stage = await TestStage.open();
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

test('a text stream of one who was never announced has its sender, with kind and join', async () => {
  await using stage = await TestStage.open();
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

test('each kind of the specification’s table is stored once, under the id of the room', async () => {
  await using stage = await TestStage.open();
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
  const streamId = await agent.sendText(CHAT_TOPIC, 'typed by an agent');
  await agent.leave();
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_left');
  const packets = history.filter(({ content }) => content !== 'typed by an agent');
  expect(lines(packets)).toEqual([
    'participant_joined system: tester joined',
    ...payloads.map(({ type }) => `${type} system: about ${type}`),
    'transcript user: I heard',
    'transcript assistant: I say',
    'participant_left system: tester left',
  ]);
  expect(packets[1]?.id).toBe(payloads[0]?.id);
  expect(packets[1]?.metadata.payload).toEqual(payloads[0]);
  expect(packets[5]?.id).toBe(messageIdOf(sessionId, 'transcript', 'not-a-uuid'));
  expect(history.find(({ kind }) => kind === 'text')).toMatchObject({
    id: messageIdOf(sessionId, 'text', streamId, agent.identity),
    role: 'assistant',
  });
});

test('partial transcripts, TTS control, audio and the unknown are not stored, but counted', async () => {
  await using stage = await TestStage.open();
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

test('those who were in the room before the recorder are in the history, and the recorder is not', async () => {
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  const ana = await stage.join(sessionId);
  await stage.record();
  await stage.untilRecording(sessionId);
  await ana.say('hello');
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  expect(lines(history)).toEqual(['participant_joined system: Ana joined', 'text user: hello']);
  expect(ana.participants).toEqual([]);
});

test('a session that nobody told of is found by polling', async () => {
  await using stage = await TestStage.open();
  await stage.record();
  const sessionId = await stage.createSession({ isTold: false });
  await stage.untilRecording(sessionId);
  expect(await stage.countIntervals(sessionId)).toBe(1);
});

test('sessions are shared: each has one recorder, and neither has the other’s', async () => {
  await using stage = await TestStage.open();
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

test('a closed session is left after its last words, and its slot is gone', async () => {
  await using stage = await TestStage.open();
  const { quietMs, closeMs } = TIMING;
  await stage.record({ timing: { ...FAST, quietMs, closeMs } });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await stage.closeSession(sessionId);
  const id = await ana.say('goodbye');
  await until(async () => (await stage.slot(sessionId)) === undefined);
  expect((await stage.history(sessionId)).map((message) => message.id)).toContain(id);
  const present = await openRoomService(stage.media).listParticipants(sessionId);
  expect(present.map(({ identity }) => identity)).toEqual([ana.identity]);
});

test('a session that was closed before is not joined, which would bring its room back', async () => {
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  await stage.closeSession(sessionId);
  await stage.record();
  await until(async () => (await stage.slot(sessionId)) === undefined);
  expect(await openRoomService(stage.media).listRooms()).not.toContain(sessionId);
});

test('a process that starts as the same recorder has all its sessions, and the first one stops', async () => {
  await using stage = await TestStage.open();
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
