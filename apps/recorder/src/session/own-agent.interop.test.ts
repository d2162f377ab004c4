import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { agentToken, joinRoom, openRoomService } from '@session/media';
import { interopPython } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { TestStage } from '../../testing/stage.ts';

const program = fileURLToPath(new URL('../../../../infra/interop/own_agent.py', import.meta.url));

/**
 * Starts the agent of docs/agents.md with the variables that a launcher sets. `missed` sends the agent a text as the
 * API does.
 */
async function startAgent({ media }: TestStage, room: string, history: readonly object[] = []) {
  const agent = { room, role: 'echo-agent', agentId: uuidv7() };
  const { identity, token } = await agentToken(media, agent);
  const CONVERSATION = JSON.stringify({ history, state: { plans: [] } });
  const env = { ...process.env, MEDIA_URL: media.url, MEDIA_TOKEN: token, CONVERSATION };
  const child = spawn(interopPython(), [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  const rooms = openRoomService(media);
  const missed = async (data: string, marks: object = {}) => {
    const packet = { type: 'user_text', id: uuidv7(), data, missed: true, ...marks };
    await rooms.sendPacketTo(room, identity, packet);
  };
  return { child, exited, missed };
}

async function answersIn(stage: TestStage, sessionId: string) {
  return (await stage.history(sessionId))
    .filter(({ kind }) => kind === 'transcript')
    .map(({ role, status, content, metadata }) => ({ role, status, content, metadata }));
}

test.runIf(interopPython() !== '')(
  'with Python: an agent of one’s own keeps the rules: each text is answered once, interruptions are marked, it ends when asked',
  async () => {
    await using stage = await TestStage.open();
    await stage.record();
    const sessionId = await stage.recordedSession();
    const ana = await stage.join(sessionId);
    const other = await stage.joinAsAgent(sessionId);
    const earlier = { at: new Date().toISOString(), role: 'user', identity: ana.identity };
    const done = { ...earlier, id: uuidv7(), content: 'answered before' };
    const open = { ...earlier, id: uuidv7(), content: 'still open' };
    const { child, exited, missed } = await startAgent(stage, sessionId, [done, open]);
    const answers = async () => await answersIn(stage, sessionId);
    await expect.poll(answers).toHaveLength(1);

    await ana.sendPacket({ type: 'user_text', id: done.id, data: done.content });
    await other.sendText('lk.chat', 'from another agent');
    const long = { type: 'user_text', id: uuidv7(), data: 'word '.repeat(1000) };
    await ana.sendPacket(long);
    await ana.sendPacket(long);
    await expect.poll(answers).toHaveLength(2);
    await ana.sendText('lk.chat', 'Wait.');
    const isAnswered = async () => (await answers()).filter(({ status }) => status === 'complete');
    await expect.poll(isAnswered).toHaveLength(3);
    await ana.sendPacket({ type: 'user_text', id: '', data: 'No id.' });
    await expect.poll(isAnswered).toHaveLength(4);
    await missed('No id.', { resent: true });
    await missed('To you alone.');
    await expect.poll(isAnswered).toHaveLength(5);
    const complete = { role: 'assistant', status: 'complete' };
    expect(await answers()).toMatchObject([
      { ...complete, content: 'You said: still open ' },
      {
        ...complete,
        content: expect.stringMatching(/^You said: (?:word )*$/),
        metadata: { interrupted: true },
      },
      { ...complete, content: 'You said: Wait. ' },
      { ...complete, content: 'You said: No id. ' },
      { ...complete, content: 'You said: To you alone. ' },
    ]);
    // The answer names its text, so the history reports that it does not have that text.
    const unheard = async () =>
      (await stage.history(sessionId)).filter(({ kind }) => kind === 'unheard');
    await expect.poll(unheard).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  },
);

test.runIf(interopPython() !== '')(
  'with Python: an agent of one’s own leaves what was said before it came to the agent that was there',
  async () => {
    await using stage = await TestStage.open();
    await stage.record();
    const sessionId = await stage.recordedSession();
    const ana = await stage.join(sessionId);
    const elder = { room: sessionId, role: 'tester', agentId: uuidv7() };
    const { token } = await agentToken(stage.media, elder);
    const attributes = { 'lk.agent.state': 'listening' };
    await using _ = await joinRoom({ url: stage.media.url, token, attributes });
    const { missed } = await startAgent(stage, sessionId);
    const contents = async () => (await answersIn(stage, sessionId)).map(({ content }) => content);
    const said: string[] = [];
    for (const data of ['One.', 'Two.']) {
      await missed('Hello?');
      await ana.sendPacket({ type: 'user_text', data });
      said.push(`You said: ${data} `);
      await expect.poll(contents).toEqual(said);
    }
  },
);
