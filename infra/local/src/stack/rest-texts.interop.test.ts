import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createClient } from '@session/client';
import { agentToken, joinRoom, openRoomService } from '@session/media';
import { interopFramework } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import type { StackFile } from './stack-file.ts';

const program = fileURLToPath(new URL('../../../interop/framework_agent.py', import.meta.url));

async function openSession({ apiUrl }: StackFile) {
  const account = { email: 'ada@example.org', password: 'correct horse', name: 'Ada' };
  const { token } = await createClient({ baseUrl: apiUrl }).auth.signUp(account);
  const client = createClient({ baseUrl: apiUrl, token: () => token });
  const { id: projectId } = await client.projects.create({ name: 'First' });
  const { id } = await client.sessions.create(projectId, { name: 'Hello' });
  await until(async () => (await client.sessions.get(id)).recording.status === 'recording');
  const texts = async () => {
    const stored = await client.messages.list(id).toArray({ limit: 100 });
    const isText = ({ metadata }: (typeof stored)[number]) =>
      ['text', 'transcript'].includes(String(metadata?.['kind']));
    return stored
      .filter(isText)
      .toReversed()
      .map(({ role, content }) => [role, content]);
  };
  return { client, id, texts };
}

function mediaOf({ mediaUrl: url, mediaApiKey: apiKey, mediaApiSecret: apiSecret }: StackFile) {
  return { url, apiKey, apiSecret };
}

async function startAgent(stack: StackFile, room: string): Promise<string> {
  const media = mediaOf(stack);
  const agent = { room, role: 'light-agent', agentId: uuidv7(), lifetimeSeconds: 600 };
  const { identity, token } = await agentToken(media, agent);
  const env = { ...process.env, MEDIA_URL: media.url, MEDIA_TOKEN: token };
  const child = spawn(interopFramework(), [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: 'ready' });
  return identity;
}

const why = interopFramework() === '' ? ' (skipped: livekit-agents could not be installed)' : '';

test.skipIf(why !== '')(
  `an agent of LiveKit’s framework answers texts of the API once, with and without a person in the room${why}`,
  { timeout: 180_000 },
  async () => {
    const stack = await startTestStack(await makeStackFolder('rest-texts')).up();
    const { client, id, texts } = await openSession(stack);
    const unheard = await client.messages.say(id, { content: 'Is anybody here?' });
    expect(unheard.deliveredTo).toEqual([]);
    const said = [['user', 'Is anybody here?']];
    expect(await texts()).toEqual(said);

    const agent = await startAgent(stack, id);
    const alone = { id: uuidv7(), content: 'nobody is in the room' };
    expect(await client.messages.say(id, alone)).toMatchObject({ deliveredTo: [agent] });
    said.push(['user', alone.content], ['assistant', `You said: ${alone.content}`]);
    await expect.poll(texts).toEqual(said);
    // A client that saw no answer sends its text again.
    expect(await client.messages.say(id, alone)).toMatchObject({ deliveredTo: [agent] });

    const { serverUrl: url, participantToken: token } = await client.sessions.createToken(id);
    const person = await joinRoom({ url, token });
    for (const content of ['over REST', 'in the room']) {
      if (content === 'over REST') await client.messages.say(id, { content });
      else await person.say(content);
      said.push(['user', content], ['assistant', `You said: ${content}`]);
      await expect.poll(texts).toEqual(said);
    }
    // What was said while an agent starts comes again, although the framework may have heard it.
    const rooms = openRoomService(mediaOf(stack));
    const missed = { type: 'user_text', missed: true };
    await person.sendText('lk.chat', 'heard');
    said.push(['user', 'heard'], ['assistant', 'You said: heard']);
    await expect.poll(texts).toEqual(said);
    for (const data of ['heard', 'unheard']) {
      await rooms.sendPacketTo(id, agent, { ...missed, id: uuidv7(), data });
    }
    // A packet for the agent alone is not in the history.
    said.push(['assistant', 'You said: unheard']);
    await expect.poll(texts).toEqual(said);
    await person.leave();
    for (const content of ['after the person left', 'and once more']) {
      await client.messages.say(id, { content });
      said.push(['user', content], ['assistant', `You said: ${content}`]);
      await expect.poll(texts).toEqual(said);
    }
  },
);
