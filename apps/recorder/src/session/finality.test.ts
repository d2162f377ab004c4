import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  FINAL_ATTRIBUTE,
  INTERRUPTED_ATTRIBUTE,
  messageIdOf,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
  TRUNCATED_ATTRIBUTE,
} from '@session/contract/room';
import { agentToken, openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { FAST, type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

function attributes(segment: string, isFinal: boolean): Record<string, string> {
  return { [SEGMENT_ATTRIBUTE]: segment, [FINAL_ATTRIBUTE]: String(isFinal) };
}

/** Returns the transcripts of the history, once there are at least `count`. */
async function transcripts(stage: TestStage, sessionId: string, count = 1) {
  return await until(async () => {
    const found = (await stage.history(sessionId)).filter(({ kind }) => kind === 'transcript');
    return found.length >= count && found;
  });
}

test('complete when the stream’s header says that it is final', async ({ stage }) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good morning', attributes('SG_1', true));
  expect(await transcripts(stage, sessionId)).toMatchObject([
    {
      id: messageIdOf(sessionId, 'transcript', 'SG_1', ana.identity),
      role: 'user',
      status: 'complete',
      content: 'good morning',
      metadata: { rawId: 'SG_1', participant: { identity: ana.identity } },
    },
  ]);
});

test('complete when an agent’s stream ends well, whatever its header says', async ({ stage }) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const agent = await stage.joinAsAgent(sessionId);
  const text = await agent.openText(TRANSCRIPTION_TOPIC, attributes('SG_1', false));
  for (const word of ['You', ' said: ', 'hello']) await text.write(word);
  await text.end();
  expect(await transcripts(stage, sessionId)).toMatchObject([
    { role: 'assistant', status: 'complete', content: 'You said: hello' },
  ]);
});

test('complete and interrupted when an agent ends its answer so, also after a part was stored as pending', async ({
  stage,
}) => {
  await stage.record({ timing: { ...FAST, checkpointMs: 100 } });
  const sessionId = await stage.recordedSession();
  const agent = await stage.joinAsAgent(sessionId);
  const text = await agent.openText(TRANSCRIPTION_TOPIC, attributes('SG_1', true));
  await text.write('You said');
  const [part] = await transcripts(stage, sessionId);
  expect(part).toMatchObject({ status: 'pending', metadata: { truncated: true } });
  await text.write(': hel');
  await text.end({ [INTERRUPTED_ATTRIBUTE]: 'true' });
  const [whole] = await until(async () => {
    const found = await transcripts(stage, sessionId);
    return found[0]?.status === 'complete' && found;
  });
  expect(whole).toMatchObject({ id: part?.id, content: 'You said: hel' });
  expect(whole?.metadata).toMatchObject({ interrupted: true });
  expect(whole?.metadata).not.toHaveProperty('truncated');
});

test('pending with all its words at each checkpoint while a stream is open', async ({ stage }) => {
  await stage.record({ timing: { ...FAST, checkpointMs: 100 } });
  const sessionId = await stage.recordedSession();
  const agent = await stage.joinAsAgent(sessionId);
  const text = await agent.openText(TRANSCRIPTION_TOPIC, attributes('SG_1', true));
  const ids = new Set<string>();
  for (const [word, content] of [
    ['one', 'one'],
    [' two', 'one two'],
    [' three', 'one two three'],
  ] as const) {
    await text.write(word);
    const [part] = await until(async () => {
      const found = await transcripts(stage, sessionId);
      return found[0]?.content === content && found;
    });
    expect(part).toMatchObject({ status: 'pending', metadata: { truncated: true } });
    ids.add(part?.id ?? '');
  }
  expect(ids.size).toBe(1);
  await text.end();
});

test('complete when a person’s stream says only at its end that it is final; a person’s marks are not stored', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const text = await ana.openText(TRANSCRIPTION_TOPIC, { [SEGMENT_ATTRIBUTE]: 'SG_1' });
  await text.write('good morning');
  await text.end({
    [FINAL_ATTRIBUTE]: 'true',
    [INTERRUPTED_ATTRIBUTE]: 'true',
    [TRUNCATED_ATTRIBUTE]: 'true',
  });
  const [message] = await transcripts(stage, sessionId);
  expect(message).toMatchObject({ status: 'complete', content: 'good morning' });
  expect(message?.metadata).not.toHaveProperty('interrupted');
  expect(message?.metadata).not.toHaveProperty('truncated');
});

test('one complete message for an utterance that came in several versions', async ({ stage }) => {
  const recorder = await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good', attributes('SG_1', false));
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good mor', attributes('SG_1', false));
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good morning', attributes('SG_1', true));
  await ana.sendText(TRANSCRIPTION_TOPIC, 'a mark', attributes('SG_2', true));
  const history = await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  expect(history.map(({ content, status }) => [content, status])).toEqual([
    ['Ana joined', null],
    ['good morning', 'complete'],
    ['a mark', 'complete'],
  ]);
  expect(recorder.health().skipped).toEqual({ partial_transcript: 2 });
});

test('pending when no final version comes, then complete under the same id at the same time', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good mor', attributes('SG_1', false));
  const [pending] = await transcripts(stage, sessionId);
  expect(pending).toMatchObject({ status: 'pending', content: 'good mor' });
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good morning', attributes('SG_1', true));
  const [complete] = await until(async () => {
    const found = await transcripts(stage, sessionId);
    return found[0]?.status === 'complete' && found;
  });
  expect(complete).toMatchObject({ id: pending?.id, at: pending?.at, content: 'good morning' });
});

test('the first final version stays, whatever comes under its id later', async ({ stage }) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good morning', attributes('SG_1', true));
  await stage.historyWith(sessionId, ({ content }) => content === 'good morning');
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good evening', attributes('SG_1', true));
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good eve', attributes('SG_1', false));
  await ana.sendText(TRANSCRIPTION_TOPIC, 'a mark', attributes('SG_2', true));
  await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  expect((await transcripts(stage, sessionId)).map(({ content }) => content)).toEqual([
    'good morning',
    'a mark',
  ]);
});

test('no participant but its speaker can complete a pending message', async ({ stage }) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const [ana, ben] = [await stage.join(sessionId), await stage.join(sessionId, 'Ben')];
  // Only a segment named by a UUID has the same message id for every sender.
  const segment = uuidv7();
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good mor', attributes(segment, false));
  await transcripts(stage, sessionId);
  await ben.sendText(TRANSCRIPTION_TOPIC, 'forged', attributes(segment, true));
  await ben.sendText(TRANSCRIPTION_TOPIC, 'a mark', attributes('SG_2', true));
  await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  const [pending] = await transcripts(stage, sessionId);
  expect(pending).toMatchObject({ id: segment, status: 'pending', content: 'good mor' });
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good morning', attributes(segment, true));
  const [complete] = await until(async () => {
    const found = await transcripts(stage, sessionId);
    return found[0]?.status === 'complete' && found;
  });
  expect(complete).toMatchObject({ id: segment, content: 'good morning' });
});

test('a version that breaks off does not replace a longer version that was whole', async ({
  stage,
}) => {
  await stage.record({ timing: { ...FAST, interimMs: 60_000, checkpointMs: 600_000 } });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good mor', attributes('SG_1', false));
  const text = await ana.openText(TRANSCRIPTION_TOPIC, attributes('SG_1', false));
  await text.write('good');
  await ana.sendText(TRANSCRIPTION_TOPIC, 'a mark', attributes('SG_2', true));
  await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  await openRoomService(stage.media).removeParticipant(sessionId, ana.identity);
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_left');
  expect(history.map(({ content, status }) => [content, status])).toEqual([
    ['Ana joined', null],
    ['a mark', 'complete'],
    ['good mor', 'pending'],
    ['Ana left', null],
  ]);
});

test('pending at once, before the leave, when the speaker leaves in mid-utterance', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  await ana.sendText(TRANSCRIPTION_TOPIC, 'good mor', attributes('SG_1', false));
  await ana.leave();
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_left');
  expect(history.map(({ content, status }) => [content, status])).toEqual([
    ['Ana joined', null],
    ['good mor', 'pending'],
    ['Ana left', null],
  ]);
});

test('pending and truncated when the sender is killed in mid-stream', async ({ stage }) => {
  await stage.record({ timing: { ...FAST, checkpointMs: 600_000 } });
  const sessionId = await stage.recordedSession();
  const agent = { room: sessionId, role: 'tester', agentId: uuidv7() };
  const { token, identity } = await agentToken(stage.media, agent);
  const talker = startTalker(stage.media.url, token);
  await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  talker.kill('SIGKILL');
  await once(talker, 'exit');
  // Without this request, the server would notice only after about 20 s.
  await openRoomService(stage.media).removeParticipant(sessionId, identity);
  expect(await transcripts(stage, sessionId, 2)).toMatchObject([
    { status: 'complete', content: 'a mark' },
    { status: 'pending', content: 'half a sen', metadata: { truncated: true } },
  ]);
});

test('pending, not complete, when the recorder leaves in mid-stream', async ({ stage }) => {
  const recorder = await stage.record();
  const sessionId = await stage.recordedSession();
  const agent = await stage.joinAsAgent(sessionId);
  const texts = await Promise.all(
    Array.from({ length: 10 }, (_, number) =>
      agent.openText(TRANSCRIPTION_TOPIC, attributes(`SG_${number}`, false)),
    ),
  );
  await Promise.all(texts.map((text) => text.write('half a sen')));
  await agent.sendText(TRANSCRIPTION_TOPIC, 'a mark');
  await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  await recorder.stop(AbortSignal.abort());
  const found = (await transcripts(stage, sessionId)).filter(({ content }) => content !== 'a mark');
  expect(found).toHaveLength(10);
  for (const message of found) {
    expect(message).toMatchObject({ status: 'pending', content: 'half a sen' });
  }
  await Promise.all(texts.map((text) => text.end()));
});

/** Starts a process that sends a part of a text stream, and stops in mid-stream. */
function startTalker(url: string, token: string): ChildProcess {
  return fork(fileURLToPath(new URL('../../testing/talker.ts', import.meta.url)), {
    execArgv: ['--conditions=@source'],
    env: { ...process.env, TALKER_URL: url, TALKER_TOKEN: token },
  });
}
