import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Message } from '@session/contract';
import { begin, says, sendWords, startScriptedModel } from '@session/conversation/testing';
import { joinRoom } from '@session/media';
import { listenToWords } from '@session/media/testing';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { type DemoRoom, joinDemoRoom } from '../demo/room.ts';
import { PLAN } from '../demo/run-plan.ts';
import { DemoSession } from '../demo/session.ts';
import { readStackFile } from './stack-file.ts';

const Records = z.object({ agents: z.record(z.string(), z.object({ pid: z.number() })) });
const Payload = z.object({ state: z.string().optional(), step: z.string().optional() });

test('kill -9 of a conversational agent, and then of the API: it is back under its id, goes on at its step without a greeting, and answers what was said meanwhile', {
  timeout: 400_000,
}, async () => {
  const folder = await makeStackFolder('agent-restarts');
  const { apiUrl } = await startTestStack(folder).up();
  const { signal } = new AbortController();
  await using session = await DemoSession.open(apiUrl, 'Ann', signal);
  expect(await session.isRecorded(60_000)).toBe(true);
  await using room = await joinDemoRoom(await session.access(), 'Ann', () => {});
  const templates = await session.createTemplates(PLAN, { LLM_API_KEY: 'rehearsal' });
  const id = await session.startAgent({ role: 'light-agent', ...templates });
  await untilSaid(room, 1);
  await room.say('24 November 2026');
  await untilSaid(room, 2);
  await kill(folder, session, id);
  await room.say('sea view');
  await untilSaid(room, 3);
  const history = await session.history(hasCompletedPlan, 60_000);
  const states = history.map(({ metadata }) => payloadOf(metadata));
  const begun = states.filter(({ state }) => state === 'step_started').map(({ step }) => step);
  expect(begun).toEqual(['step-1', 'step-2']);
  const { plans } = await session.state();
  expect(plans[0]?.deliverables.map(({ value }) => value)).toEqual(['2026-11-24', 'Sea view']);

  await killInMidSentence(folder, apiUrl);

  process.kill((await readStackFile(folder))?.pids['api'] ?? 0, 'SIGKILL');
  await until(async () => (await session.agent(id).catch(() => undefined))?.restarts === 2);
  await room.say('Thank you');
  await untilSaid(room, 4);
  const back = { restarts: 2, status: 'Running', reason: null };
  await expect.poll(async () => await session.agent(id)).toMatchObject(back);
  const said = saidIn(room);
  expect(said.filter((content) => content.includes('rehearsal model'))).toEqual([said[0]]);
  const ids = (await session.history(() => true, 0)).map((message) => message.id);
  expect(new Set(ids).size).toBe(ids.length);
});

/** Checks that the part of an answer that was said stays in the history, and that the next program answers what is open. */
async function killInMidSentence(folder: string, apiUrl: string): Promise<void> {
  const later = 'And which of them have a view?';
  await using model = await startScriptedModel(
    (response) => {
      begin(response);
      sendWords(response, 'The garden room and');
    },
    // The next program may ask before the later text is said, which then interrupts it.
    (response, request) => {
      if (!JSON.stringify(request.body).includes(later)) return begin(response);
      return says('Both have one.')(response, request);
    },
  );
  const { signal } = new AbortController();
  await using session = await DemoSession.open(apiUrl, 'Ben', signal);
  expect(await session.isRecorded(60_000)).toBe(true);
  await using room = await joinRoom({ ...(await session.access()), onEvent: () => {} });
  const { envTemplateId } = await session.createTemplates(PLAN, {
    LLM_API_KEY: 'local',
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    GREETING: 'off',
  });
  const id = await session.startAgent({ role: 'light-agent', envTemplateId });
  const heard = listenToWords();
  onTestFinished(() => heard.stop());
  await room.say('Which rooms are free?');
  await expect.poll(() => heard.text).toContain('The garden room and');
  await kill(folder, session, id);
  await room.say(later);
  const history = wordsIn(await session.history((found) => wordsIn(found).length >= 4, 60_000));
  const cut = history.find(({ status }) => status === 'pending');
  expect(cut).toMatchObject({ content: 'The garden room and', metadata: { truncated: true } });
  expect(history.map(({ content }) => content).toSorted()).toEqual([
    later,
    'Both have one.',
    'The garden room and',
    'Which rooms are free?',
  ]);
  const prompt = JSON.stringify(model.requests.at(-1)?.body['messages']);
  expect(prompt).toContain('Which rooms are free?');
  expect(prompt).toContain(later);
}

function wordsIn(history: readonly Message[]): readonly Message[] {
  return history.filter(({ role }) => role !== 'system');
}

function saidIn({ messages }: DemoRoom): string[] {
  return messages.filter(({ isAgent }) => isAgent).map(({ content }) => content);
}

async function untilSaid(room: DemoRoom, count: number): Promise<void> {
  await expect.poll(() => saidIn(room)).toHaveLength(count);
}

async function kill(folder: string, session: DemoSession, agentId: string): Promise<void> {
  process.kill(await pidOf(folder, agentId), 'SIGKILL');
  await until(async () => (await session.agent(agentId)).restarts === 1);
}

/** Returns the pid of an agent's first process, as the API has recorded it. */
async function pidOf(folder: string, agentId: string): Promise<number> {
  const agents = path.join(folder, 'agents');
  for (const name of await readdir(agents)) {
    const records = Records.parse(JSON.parse(await readFile(path.join(agents, name), 'utf8')));
    const pid = records.agents[agentId]?.pid;
    if (pid !== undefined) return pid;
  }
  throw new Error(`agent ${agentId} has no process`);
}

function hasCompletedPlan(history: readonly Message[]): boolean {
  return history.some(({ metadata }) => payloadOf(metadata).state === 'plan_completed');
}

function payloadOf(metadata: Message['metadata']): z.infer<typeof Payload> {
  return Payload.catch({}).parse(metadata?.['payload']);
}
