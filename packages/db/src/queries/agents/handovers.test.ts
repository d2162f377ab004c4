import { agentIdentity } from '@session/contract/room';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newAgentTemplate } from '../../../testing/agent-templates.ts';
import { addAgent, newAgent } from '../../../testing/agents.ts';
import { type TestProject, typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { insertAgentTemplate } from '../agent-templates/agent-template-changes.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { requestAgentStop, updateAgentState } from './agent-changes.ts';
import { insertAgent } from './agent-insertion.ts';
import { restartAgent } from './agent-restarts.ts';
import { listLiveAgents } from './agents.ts';
import {
  cancelHandover,
  findTakenOver,
  finishHandover,
  hasAgentInTheWay,
  isHandedOver,
  listEarlierAgents,
} from './handovers.ts';

const state = { reason: null, detail: null, exitCode: null };
const RUNNING = { status: 'Running', ...state } as const;

test('a request starts one agent, while the agent that hands over is live', async ({ project }) => {
  const sessionId = await project.newSession();
  const from = await addAgent(project, { sessionId });
  const handoverId = uuidv7();
  const start = async (id: string) => {
    const handover = { id, from };
    const agent = newAgent(project, sessionId, { role: 'light-agent', handover });
    return await insertAgent(project, agent);
  };
  expect(await isHandedOver(project, { sessionId, handoverId })).toBe(false);
  const outcomes = await Promise.all([start(handoverId), start(handoverId)]);
  expect(outcomes.toSorted()).toEqual(['agent_already_running', 'inserted']);
  expect(await isHandedOver(project, { sessionId, handoverId })).toBe(true);
  const live = await listLiveAgents(project);
  expect(live.map(({ isSuccessor }) => isSuccessor)).toEqual([false, true]);
  const [, successor] = live;
  await updateAgentState(project, successor?.id ?? '', { status: 'Stopped', ...state });
  expect(await start(handoverId)).toBe('agent_already_running');
  await requestAgentStop(project, from, 'requested');
  expect(await start(uuidv7())).toBe('session_closed');
});

test('the first agent stops once the second is Running, the second one if it is not: never both', async ({
  project,
}) => {
  const starting = await addPair(project);
  expect(await finishHandover(project, starting)).toBe(false);
  expect(await cancelHandover(project, starting)).toBe(true);
  await updateAgentState(project, starting.successorId, RUNNING);
  expect(await finishHandover(project, starting)).toBe(false);
  const running = await addPair(project);
  await updateAgentState(project, running.successorId, RUNNING);
  expect(await cancelHandover(project, running)).toBe(false);
  expect(await finishHandover(project, running)).toBe(true);
  expect(await finishHandover(project, running)).toBe(false);
  const rows = await project.sql`select id, desired, reason from agents order by id`;
  expect(rows).toEqual([
    { id: starting.id, desired: 'running', reason: null },
    { id: starting.successorId, desired: 'stopped', reason: 'start_timeout' },
    { id: running.id, desired: 'stopped', reason: 'handed_over' },
    { id: running.successorId, desired: 'running', reason: null },
  ]);
});

test('an agent of the same template is in the way, unless it stops soon, goes on already, or gets the conversation back', async ({
  project,
}) => {
  const { id: agentTemplateId } = await insertedTemplate(project);
  const agentTemplate = { id: agentTemplateId, version: 1, values: {} };
  const sessionId = await project.newSession();
  const handoverId = uuidv7();
  const desk = await addAgent(project, { sessionId, role: 'light-agent', agentTemplate });
  const from = await addAgent(project, { sessionId, handover: { id: uuidv7(), from: desk } });
  const isInTheWay = async (part: object) =>
    await hasAgentInTheWay(project, { sessionId, agentTemplateId, handoverId, from, ...part });
  expect(await isInTheWay({})).toBe(false);
  expect(await isInTheWay({ from: uuidv7() })).toBe(true);
  expect(await isInTheWay({ from: uuidv7(), agentTemplateId: uuidv7() })).toBe(false);
  await requestAgentStop(project, desk, 'requested');
  expect(await isInTheWay({ from: uuidv7() })).toBe(false);
  await updateAgentState(project, desk, { status: 'Stopped', ...state });
  const handover = { id: handoverId, from };
  await addAgent(project, { sessionId, role: 'light-agent', agentTemplate, handover });
  expect(await isInTheWay({})).toBe(false);
  expect(await isInTheWay({ handoverId: uuidv7() })).toBe(true);
});

test('an agent finds the request that started it until it has spoken, even after a crash', async ({
  project,
}) => {
  const { sessionId, id, handoverId, successorId } = await addPair(project);
  expect(await findTakenOver(project, successorId)).toBeUndefined();
  const metadata = { kind: 'handover', payload: { reason: 'a price' } };
  await appendMessages(project, [
    typedText(sessionId, { id: handoverId, kind: 'handover', role: 'system', metadata }),
  ]);
  const found = await findTakenOver(project, successorId);
  expect(found).toMatchObject({ id: handoverId, metadata });
  await restartAgent(project, successorId, { reason: 'crashed', delayMs: 0, restarts: 0 });
  expect(await findTakenOver(project, successorId)).toMatchObject({ id: handoverId });
  await updateAgentState(project, successorId, RUNNING);
  const say = async (agent: { role: string; agentId: string }, part: object = {}) => {
    const participant = { identity: agentIdentity(agent), name: '' };
    const words = { role: 'assistant', metadata: { participant }, ...part } as const;
    await appendMessages(project, [typedText(sessionId, words)]);
  };
  const successor = { role: 'light-agent', agentId: successorId };
  await say({ role: 'echo-agent', agentId: id });
  await say(successor, { role: 'system', kind: 'state_change_notification', status: null });
  expect(await findTakenOver(project, successorId)).toMatchObject({ id: handoverId });
  await say(successor);
  expect(await findTakenOver(project, successorId)).toBeUndefined();
});

test('a successor finds all its predecessors, and those of its template, the oldest first', async ({
  project,
}) => {
  const first = await addPair(project);
  await addAgent(project, { sessionId: first.sessionId, role: 'core-agent' });
  const handover = { id: uuidv7(), from: first.successorId };
  const template = await insertedTemplate(project);
  const agentTemplate = { id: template.id, version: 1, values: {} };
  const part = { sessionId: first.sessionId, role: 'third-agent', agentTemplate };
  const stopped = await addAgent(project, part);
  await updateAgentState(project, stopped, { status: 'Stopped', ...state });
  const last = await addAgent(project, { ...part, handover });
  expect(await listEarlierAgents(project, last)).toEqual([
    { id: first.id, role: 'echo-agent', isPredecessor: true },
    { id: first.successorId, role: 'light-agent', isPredecessor: true },
    { id: stopped, role: 'third-agent', isPredecessor: false },
    { id: last, role: 'third-agent', isPredecessor: false },
  ]);
  expect(await listEarlierAgents(project, first.id)).toEqual([]);
});

async function insertedTemplate(project: TestProject) {
  const template = newAgentTemplate(project);
  await insertAgentTemplate(project, template);
  return template;
}

async function addPair(project: TestProject) {
  const sessionId = await project.newSession();
  const id = await addAgent(project, { sessionId });
  const handoverId = uuidv7();
  const handover = { id: handoverId, from: id };
  const restartPolicy = 'on-failure';
  const part = { sessionId, role: 'light-agent', handover, restartPolicy } as const;
  return { sessionId, id, handoverId, successorId: await addAgent(project, part) };
}
