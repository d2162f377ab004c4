import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { agentToken } from '@session/media';
import { interopPython, type TestMedia } from '@session/testing';
import { findChromium } from '@session/testing/browser';
import { expect, onTestFinished } from 'vitest';
import { openMicrophone, saidIn, talkTest as test } from '../../testing/talks.ts';

const program = fileURLToPath(new URL('../../../../infra/interop/transcriber.py', import.meta.url));

const { env } = process;
const hasBrowser = env['BROWSER_REQUIRED'] === '1' || (await findChromium(env)) !== undefined;

/** Joins a room as an agent of LiveKit's Python SDK. Returns what makes it talk, and what makes it leave. */
async function startAgent(media: TestMedia, room: string) {
  const agent = { room, role: 'tester', agentId: randomUUID() };
  const { token } = await agentToken(media, agent);
  const child = spawn(interopPython(), [program], {
    env: { ...env, MEDIA_URL: media.url, MEDIA_TOKEN: token },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  const tell = async (command: string, details: object) => {
    child.stdin.write(`${JSON.stringify({ command, ...details })}\n`);
    expect(await lines.next()).toMatchObject({ value: 'done' });
  };
  const leave = async () => {
    child.stdin.end();
    await exited;
  };
  return { tell, leave };
}

test('with Python and a browser: a foreign agent’s transcripts, speech and chat are shown as the history has them, without a jump', {
  timeout: 180_000,
  skip: interopPython() === '' || !hasBrowser,
}, async ({ world: { api, media }, session }) => {
  await api.startRecorder();
  await session.untilRecorded();
  const ada = await session.join('Ada');
  const { page } = ada;
  const person = await page.evaluate(
    () => window.talk.room.getSnapshot().participants.find(({ isLocal }) => isLocal)?.identity,
  );
  const last = async () => await page.evaluate(() => window.talk.shown.at(-1)?.at(-1));
  const { tell, leave } = await startAgent(media, session.sessionId);
  const track = await openMicrophone(ada, media, session.sessionId);
  const texts = ['good', 'good mor', 'Good morning.'];
  await tell('hear', { person, track, segment: 'SG_1', texts, is_final: true });
  await tell('say', { segment: 'SG_2', words: ['Good ', 'morning', ', Ada.'] });
  // Messages that two clients send at the same time have no order, so the next client speaks when the page shows what
  // was said.
  await expect.poll(last).toMatch(/^Good morning, Ada\.: (?:unconfirmed|complete)$/u);
  await page.evaluate(() => window.talk.conversation.say('typed'));
  await expect.poll(last).toBe('typed: complete');
  await tell('chat', { text: 'a link' });
  const question = { texts: ['And', 'And you?'], is_final: true };
  await tell('hear', { person, track, segment: 'SG_3', ...question });
  await tell('say', { segment: 'SG_4', words: ['I am ', 'fine.'] });
  const contents = [
    'Good morning.',
    'Good morning, Ada.',
    'typed',
    'a link',
    'And you?',
    'I am fine.',
  ];
  await expect
    .poll(async () => (await session.history()).map(({ content }) => content))
    .toEqual(contents);
  await expect.poll(async () => await saidIn(ada)).toEqual(await session.history());
  const { shown, keys } = await page.evaluate(() => ({
    shown: window.talk.shown.flat(),
    keys: window.talk.keys,
  }));
  expect(shown).toEqual(expect.arrayContaining(['good mor: speaking', 'And: speaking']));
  for (const [index, before] of keys.slice(0, -1).entries()) {
    const after = keys[index + 1] ?? [];
    // No message leaves the list, and no message passes another.
    expect(after.filter((key) => before.includes(key))).toEqual(before);
  }
  const ben = await session.join('Ben');
  expect(await saidIn(ben)).toEqual(await saidIn(ada));
  await tell('hear', { person, track, segment: 'SG_5', texts: ['Bye th'], is_final: false });
  await expect.poll(last).toBe('Bye th: speaking');
  await leave();
  await expect.poll(last).toBe('Bye th: unconfirmed');
});
