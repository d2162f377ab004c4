import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { joinAsPerson, launchEnv, startAgent } from '@session/agent-kit/testing';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const PLAN = JSON.stringify({
  id: 'booking-1',
  name: 'Booking',
  description: null,
  steps: [{ id: 'name', title: 'Your name', instructions: 'Ask for the name.' }],
});

test('an agent leaves with code 0 when nobody is in the room and no text comes', async () => {
  const agent = startAgent(main, await envOf({ LEAVE_AFTER_MINUTES: '0.01' }));
  expect(await once(agent.child, 'close')).toEqual([0, null]);
  expect(agent.output()).toContain('leaving: nobody in room, and no text received');
});

test('a silent person is asked once, and after the longest time the agent says goodbye and leaves with code 0', async () => {
  const room = randomUUID();
  const ann = await joinAsPerson(testMedia(), room);
  const limits = { NUDGE_AFTER_MS: '1000', MAX_TALK_MINUTES: '0.1' };
  const agent = startAgent(main, await envOf({ PLAN, GREETING: 'Hello.', ...limits }, room));
  expect(await once(agent.child, 'close')).toEqual([0, null]);
  await ann.untilAnswered(3);
  expect(ann.answers()).toEqual([
    'Hello.',
    expect.stringContaining('Your name'),
    'Our time is over. Goodbye.',
  ]);
});

async function envOf(variables: Record<string, string>, room = randomUUID()) {
  const env = await launchEnv(testMedia(), room, 'light-agent');
  return { ...env, LLM_API_KEY: 'rehearsal', ...variables };
}
