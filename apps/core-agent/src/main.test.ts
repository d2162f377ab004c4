import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { joinAsPerson, launchEnv, startAgent } from '@session/agent-kit/testing';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));

test('a person who only writes gets an answer, and SIGTERM ends the agent with code 0', async () => {
  const room = randomUUID();
  const ann = await joinAsPerson(testMedia(), room);
  const env = await launchEnv(testMedia(), room, 'core-agent');
  const agent = startAgent(main, { ...env, LLM_API_KEY: 'rehearsal', GREETING: 'Hello.' });
  await agent.ready;
  await ann.untilAnswered(1);
  await ann.room.say('Good morning');
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['Hello.', 'You said: Good morning']);
  agent.child.kill('SIGTERM');
  expect(await once(agent.child, 'close')).toEqual([0, null]);
});
