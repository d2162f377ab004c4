import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { holds, startScriptedModel } from '@session/conversation/testing';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openRoom, variablesOf } from '../testing/light-agent.ts';

const program = fileURLToPath(
  new URL('../../../infra/tools/testing/interop/components.mjs', import.meta.url),
);

test('LiveKit’s components see an agent that listens, thinks and speaks', async () => {
  const { reply, words, end } = holds('Good morning.');
  await using model = await startScriptedModel(reply);
  const { room, ann } = await openRoom(variablesOf(model));
  const states = watchComponents(room);
  await expect.poll(() => states.at(-1)).toBe('listening');
  await ann.room.say('Hello');
  await expect.poll(() => states.at(-1)).toBe('thinking');
  words();
  await expect.poll(() => states.at(-1)).toBe('speaking');
  end();
  await expect.poll(() => states.at(-1)).toBe('listening');
});

/** Returns the states that LiveKit's components show of the agent in a room, in their order. */
function watchComponents(room: string): readonly string[] {
  const { url, apiKey, apiSecret } = testMedia();
  const media = { MEDIA_URL: url, MEDIA_API_KEY: apiKey, MEDIA_API_SECRET: apiSecret };
  const env = { ...process.env, ...media, MEDIA_ROOM: room };
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const states: string[] = [];
  createInterface(child.stdout).on('line', (line) => states.push(line));
  return states;
}
