import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Message } from '@session/contract';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { makeStackFolder, startTestStack, until } from '../../testing/stack.ts';
import { joinDemoRoom } from '../demo/room.ts';
import { PLAN } from '../demo/run-plan.ts';
import { DemoSession } from '../demo/session.ts';
import { readStackFile } from './stack-file.ts';

const Records = z.object({ agents: z.record(z.string(), z.object({ pid: z.number() })) });
const Payload = z.object({ state: z.string().optional(), step: z.string().optional() });

test('kill -9 of a conversational agent, and then of the API: it is back under its id, goes on at its step without a greeting, and answers what was said meanwhile', {
  timeout: 120_000,
}, async () => {
  const folder = await makeStackFolder('agent-restarts');
  const { apiUrl } = await startTestStack(folder).up();
  const { signal } = new AbortController();
  await using session = await DemoSession.open(apiUrl, 'Ann', signal);
  expect(await session.isRecorded(30_000)).toBe(true);
  await using room = await joinDemoRoom(await session.access(), 'Ann', () => {});
  const said = () => room.messages.filter(({ isAgent }) => isAgent).map(({ content }) => content);
  const untilSaid = async (count: number) =>
    await expect.poll(said, { timeout: 30_000 }).toHaveLength(count);
  const templates = await session.createTemplates(PLAN, { LLM_API_KEY: 'rehearsal' });
  const id = await session.startAgent({ role: 'light-agent', ...templates });
  await untilSaid(1);
  await room.say('24 November 2026');
  await untilSaid(2);

  process.kill(await pidOf(folder, id), 'SIGKILL');
  await until(async () => (await session.agent(id)).restarts === 1);
  await room.say('sea view');
  await untilSaid(3);
  const history = await session.history(hasCompletedPlan, 10_000);
  const events = history.filter(({ role }) => role === 'system');
  const states = events.map(({ metadata }) => payloadOf(metadata));
  const begun = states.filter(({ state }) => state === 'step_started').map(({ step }) => step);
  expect(begun).toEqual(['step-1', 'step-2']);
  const { plans } = await session.state();
  expect(plans[0]?.deliverables.map(({ value }) => value)).toEqual(['2026-11-24', 'Sea view']);

  const api = (await readStackFile(folder))?.pids['api'] ?? 0;
  process.kill(api, 'SIGKILL');
  await until(async () => (await session.agent(id).catch(() => undefined))?.restarts === 2);
  await room.say('Thank you');
  await untilSaid(4);
  expect(await session.agent(id)).toMatchObject({ restarts: 2, status: 'Running', reason: null });
  expect(said().filter((content) => content.includes('rehearsal model'))).toEqual([said()[0]]);
  const ids = (await session.history(() => true, 0)).map((message) => message.id);
  expect(new Set(ids).size).toBe(ids.length);
});

function hasCompletedPlan(history: readonly Message[]): boolean {
  return history.some(({ metadata }) => payloadOf(metadata).state === 'plan_completed');
}

function payloadOf(metadata: Message['metadata']): z.infer<typeof Payload> {
  return Payload.catch({}).parse(metadata?.['payload']);
}

/** Returns the pid of the only process of the agent, as the API has recorded it. */
async function pidOf(folder: string, agentId: string): Promise<number> {
  const agents = path.join(folder, 'agents');
  for (const name of await readdir(agents)) {
    const records = Records.parse(JSON.parse(await readFile(path.join(agents, name), 'utf8')));
    const pid = records.agents[agentId]?.pid;
    if (pid !== undefined) return pid;
  }
  throw new Error(`agent ${agentId} has no process`);
}
