import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { joinAsPerson, launchEnv, startAgent, statesSeenBy } from '@session/agent-kit/testing';
import {
  holds,
  type Reply,
  type ScriptedModel,
  says,
  startScriptedModel,
} from '@session/conversation/testing';
import { testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startLightAgent, variablesOf } from '../testing/light-agent.ts';

const echoAgent = fileURLToPath(new URL('../../echo-agent/src/main.ts', import.meta.url));

test('of two conversational agents one answers, unless a text names the other; an echo agent beside them causes no loop', async () => {
  const room = await openRoom([says('I am the first.')], [says('I am the second.')]);
  const { ann, first, second } = room;
  const echo = startAgent(echoAgent, await launchEnv(testMedia(), room.name, 'echo-agent'));
  await echo.ready;
  await ann.room.say('hello');
  await ann.untilAnswered(2);
  await ann.room.say('Light-agent, who are you?');
  await ann.untilAnswered(4);
  await ann.room.say('goodbye');
  await ann.untilAnswered(6);
  const said = ann.answers().filter((text) => !text.startsWith('You said:'));
  expect(said).toEqual(['I am the first.', 'I am the second.', 'I am the first.']);
  expect([first.requests.length, second.requests.length]).toEqual([2, 1]);
  // Each prompt has what was said to the other agent, and nothing of the echo agent.
  const prompt = JSON.stringify(first.requests[1]?.body['messages']);
  expect(prompt).toMatch(/hello.*I am the first.*who are you.*I am the second.*goodbye/);
  expect(JSON.stringify(second.requests[0]?.body['messages'])).toMatch(/hello.*I am the first/);
  expect(prompt).not.toContain('You said');
});

test('an agent that leaves before it has answered is replaced by the other one', async () => {
  const { reply } = holds('Never said.');
  const { ann, first, second, agents } = await openRoom([reply], [says('I am still here.')]);
  await ann.room.say('hello');
  await expect.poll(() => first.requests).toHaveLength(1);
  const [leaver] = agents;
  leaver?.child.kill('SIGTERM');
  await ann.untilAnswered(1);
  await ann.room.say('and now?');
  await ann.untilAnswered(2);
  expect(ann.answers()).toEqual(['I am still here.', 'I am still here.']);
  expect(JSON.stringify(second.requests[0]?.body['messages'])).toContain('hello');
});

/** Starts two conversational agents, of which the first answers, in a room with Ann. */
async function openRoom(firstReplies: readonly Reply[], secondReplies: readonly Reply[]) {
  const name = randomUUID();
  const ann = await joinAsPerson(testMedia(), name);
  const first = await startModel(firstReplies);
  const second = await startModel(secondReplies);
  const start = async (role: string, model: ScriptedModel) =>
    startLightAgent(await launchEnv(testMedia(), name, role), variablesOf(model));
  const agents = [await start('core-agent', first), await start('light-agent', second)];
  await Promise.all(agents.map(({ ready }) => ready));
  const states = () => statesSeenBy(ann);
  await expect.poll(states).toEqual(['listening', 'listening']);
  return { name, ann, first, second, agents };
}

async function startModel(replies: readonly Reply[]): Promise<ScriptedModel> {
  const model = await startScriptedModel(...replies);
  onTestFinished(() => model[Symbol.asyncDispose]());
  return model;
}
