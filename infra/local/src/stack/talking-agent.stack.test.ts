import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Message } from '@session/contract';
import { PLANTED_KEY, startScriptedModel } from '@session/conversation/testing';
import { startScriptedOpenAi } from '@session/conversation/testing/openai';
import { expect, test } from 'vitest';
import { makeStackFolder, startTestStack } from '../../testing/stack.ts';
import {
  commandLines,
  joinAsTalker,
  PLAN,
  pidOfAgent,
  promptOf,
  talks,
} from '../../testing/talk.ts';
import { DemoSession } from '../demo/session.ts';

test('with a key of OpenAI alone an agent talks and follows its plan; killed in mid-sentence it comes back and goes on, and its key is nowhere', {
  timeout: 400_000,
}, async () => {
  await using model = await startScriptedModel(talks);
  const folder = await makeStackFolder('talk');
  await using openai = await startScriptedOpenAi(model, folder);
  const agents = path.join(folder, 'agents');
  await mkdir(agents);
  const run = startTestStack(folder, { ...openai.env, AGENT_PROCESS_DIR: agents });
  const { apiUrl, pids } = await run.up();
  const stop = new AbortController().signal;
  await using session = await DemoSession.open(apiUrl, 'Ann', stop);
  // The killed agent's next program begins with the stored conversation, so a recorder must be there.
  expect(await session.isRecorded(60_000)).toBe(true);
  const templates = await session.createTemplates(PLAN, { LLM_API_KEY: PLANTED_KEY });
  const ann = await joinAsTalker(await session.access());
  const agentId = await session.startAgent({ role: 'light-agent', ...templates });
  await ann.untilHeard('Hello. What is your name?');
  await ann.room.say('I am Ada');
  await ann.untilHeard('Thank you, Ada.');

  await ann.room.say('Tell me a story');
  await ann.untilWords('Once upon a time');
  await ann.room.say('stop');
  await ann.untilHeard('All right.');

  await ann.room.say('Tell me another one');
  await ann.untilWords('Far away');
  process.kill(await pidOfAgent(agents, agentId), 'SIGKILL');
  await ann.room.say('Are you there?');
  await ann.untilHeard('I am here.');

  await ann.room.say('Tell me the last one');
  await ann.untilWords('Long ago');
  process.kill(pids['media'] ?? 0, 'SIGKILL');
  await session.history((rows) => rows.some(isMarked), 60_000);
  await ann.untilState('listening');
  await ann.room.say('still there?');
  await ann.untilHeard('Still here.');

  const history = await session.history((rows) => rows.some(isLast), 60_000);
  expect(history.filter(({ role }) => role === 'assistant').map(summaryOf)).toEqual([
    ['Hello. What is your name?', 'complete', {}],
    ['Thank you, Ada.', 'complete', {}],
    ['Once upon a time', 'complete', { interrupted: true }],
    ['All right.', 'complete', {}],
    ['Far away', 'pending', { truncated: true }],
    ['I am here.', 'complete', {}],
    ['Long ago', 'complete', { truncated: true }],
    ['Still here.', 'complete', {}],
  ]);
  const planEvents = history.filter(({ content }) => /steps done|^Now: |^Customer/.test(content));
  expect(planEvents.map(({ content }) => content)).toEqual([
    '0 of 2 steps done',
    'Now: Your name',
    'Customer: Ada',
    '1 of 2 steps done',
    'Now: Your wish',
  ]);
  const state = await session.state();
  expect(state.plans).toMatchObject([
    {
      steps: [{ state: 'done' }, { state: 'active' }],
      deliverables: [{ id: 'customer', value: 'Ada', version: 1 }],
    },
  ]);
  const back = model.requests
    .map(promptOf)
    .find((prompt) => /Are you there/.test(prompt.at(-1)?.content ?? ''));
  expect(back?.[0]?.content).toContain('Current step:\nid: wish');
  const everything = [
    run.output(),
    JSON.stringify([history, state, model.requests.map(({ body }) => body)]),
    await commandLines(),
  ];
  expect(everything.join('\n')).not.toContain(PLANTED_KEY);
});

function isMarked({ content, metadata }: Message): boolean {
  return content === 'Long ago' && metadata?.['truncated'] === true;
}

function isLast({ content, status }: Message): boolean {
  return content === 'Still here.' && status === 'complete';
}

function summaryOf({ content, status, metadata }: Message) {
  const { interrupted, truncated } = metadata ?? {};
  const marks = {
    ...(interrupted === true && { interrupted }),
    ...(truncated === true && { truncated }),
  };
  return [content, status, marks];
}
