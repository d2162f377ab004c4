import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Room } from '@livekit/rtc-node';
import { messageIdOf } from '@session/contract/room';
import { agentToken, releaseRoom, roomOptions, userToken } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { type HistoryRow, TestStage } from '../../testing/stage.ts';

const program = fileURLToPath(
  new URL('../../../../infra/tools/testing/interop/agent.mjs', import.meta.url),
);

/** Starts an agent made with LiveKit's framework in a session's room, with Ana. */
async function openConversation(stage: TestStage) {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  // The framework names the track that it transcribes.
  await ana.openVoice(16_000);
  const agent = await startAgent(stage, sessionId);
  const transcripts = async () =>
    (await stage.history(sessionId)).filter(({ kind }) => kind === 'transcript');
  return { sessionId, ana, agent, transcripts };
}

async function startAgent(stage: TestStage, sessionId: string) {
  const agent = { room: sessionId, role: 'echo-agent', agentId: uuidv7() };
  const { identity, token } = await agentToken(stage.media, agent);
  const env = { ...process.env, MEDIA_URL: stage.media.url, MEDIA_TOKEN: token };
  const child: ChildProcess = fork(program, { env, execArgv: [] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  await Promise.race([
    once(child, 'message'),
    exited.then(() => Promise.reject(new Error('the agent has ended'))),
  ]);
  return {
    identity,
    exited,
    tell: (command: string, details: object = {}) => void child.send({ command, ...details }),
  };
}

/** Returns the pieces of the transcripts in a room, as they come. */
async function collectTranscripts(stage: TestStage, sessionId: string): Promise<readonly string[]> {
  const pieces: string[] = [];
  const { token } = await userToken(stage.media, {
    room: sessionId,
    userId: uuidv7(),
    name: 'Ben',
  });
  const room = new Room();
  onTestFinished(() => releaseRoom(room));
  const collect = async (stream: AsyncIterable<string>) => {
    // A stream that is cut off because we leave ends with an error.
    try {
      for await (const piece of stream) pieces.push(piece);
    } catch {
      pieces.push('…');
    }
  };
  room.registerTextStreamHandler('lk.transcription', (reader) => void collect(reader));
  await room.connect(stage.media.url, token, roomOptions());
  return pieces;
}

function summaryOf({ role, content, status, metadata }: HistoryRow) {
  return [role, content, status, metadata.participant?.identity];
}

test('an answer that an agent sends word by word is one complete message, under the id of its segment', async () => {
  await using stage = await TestStage.open();
  const { sessionId, agent, transcripts } = await openConversation(stage);
  agent.tell('say', { texts: ['Good ', 'morning', ', Ana.'] });
  await expect.poll(transcripts).toHaveLength(1);
  const [said] = await transcripts();
  expect(said).toMatchObject({ role: 'assistant', content: 'Good morning, Ana.' });
  expect(said?.status).toBe('complete');
  const rawId = said?.metadata.rawId ?? '';
  expect(rawId).toMatch(/^SG_/);
  expect(said?.id).toBe(messageIdOf(sessionId, 'transcript', rawId, agent.identity));
});

test('a person’s text is stored as the person’s, and the agent’s answer comes after it', async () => {
  await using stage = await TestStage.open();
  const { sessionId, ana, agent } = await openConversation(stage);
  await ana.sendText('lk.chat', 'How are you?');
  const spoken = async () =>
    (await stage.history(sessionId))
      .filter(({ kind }) => kind === 'transcript' || kind === 'text')
      .map(summaryOf);
  await expect.poll(spoken).toEqual([
    ['user', 'How are you?', 'complete', ana.identity],
    ['assistant', 'I am fine, thank you.', 'complete', agent.identity],
  ]);
});

test('interim transcripts of a person are skipped, and the final text is stored as the person’s', async () => {
  await using stage = await TestStage.open();
  const { ana, agent, transcripts } = await openConversation(stage);
  for (const text of ['good', 'good mor']) agent.tell('hear', { text, isFinal: false });
  agent.tell('hear', { text: 'good morning', isFinal: true });
  await expect.poll(transcripts).toHaveLength(1);
  agent.tell('say', { texts: ['Good morning!'] });
  await expect
    .poll(async () => (await transcripts()).map(summaryOf))
    .toEqual([
      ['user', 'good morning', 'complete', ana.identity],
      ['assistant', 'Good morning!', 'complete', agent.identity],
    ]);
  const [heard] = await transcripts();
  expect(heard?.metadata.transcribers).toEqual([agent.identity]);
});

test('an interrupted answer is stored as far as it was said', async () => {
  await using stage = await TestStage.open();
  const { sessionId, agent, transcripts } = await openConversation(stage);
  const pieces = await collectTranscripts(stage, sessionId);
  agent.tell('say', { texts: ['Once ', 'upon ', 'a time '], isEndless: true });
  await expect.poll(() => pieces.join('')).toContain('upon');
  agent.tell('interrupt');
  await expect.poll(transcripts).toHaveLength(1);
  const [said] = await transcripts();
  expect(said).toMatchObject({ role: 'assistant', status: 'complete' });
  // The framework marks no interruption: the text that it has sent is the text that was said.
  await expect.poll(() => pieces.join('')).toBe(said?.content);
});

test('the last words of an agent that leaves are stored', async () => {
  await using stage = await TestStage.open();
  const { sessionId, agent, transcripts } = await openConversation(stage);
  agent.tell('say', { texts: ['Goodbye.'] });
  await expect.poll(transcripts).toHaveLength(1);
  agent.tell('leave');
  await agent.exited;
  await expect
    .poll(async () => (await stage.history(sessionId)).map(({ kind }) => kind))
    .toEqual(['participant_joined', 'participant_joined', 'transcript', 'participant_left']);
});
