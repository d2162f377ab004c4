import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { addAgent } from '../../../testing/agents.ts';
import { createTestProject, type TestProject, typedText } from '../../../testing/project.ts';
import { appendMessages } from '../messages/append-messages.ts';
import { findAgentTimes, noteStartTimes } from './agent-timeline.ts';

let project: AsyncDisposable & TestProject;

beforeAll(async () => {
  project = await createTestProject();
  return () => project[Symbol.asyncDispose]();
});

const at = (second: string) => `2026-11-21T08:00:${second}Z`;

test('the time of a step is stored once, by the first that knows it', async () => {
  const id = await addAgent(project);
  expect(await findAgentTimes(project, id, 'agent-1')).toEqual({
    scheduledAt: null,
    programStartedAt: null,
    firstWordsAt: null,
    ends: [],
  });
  await noteStartTimes(project, id, { scheduledAt: at('01.500'), programStartedAt: null });
  await noteStartTimes(project, id, { scheduledAt: at('09.000'), programStartedAt: at('02.000') });
  await noteStartTimes(project, id, { scheduledAt: null, programStartedAt: at('09.000') });
  expect(await findAgentTimes(project, id, 'agent-1')).toEqual({
    scheduledAt: at('01.500'),
    programStartedAt: at('02.000'),
    firstWordsAt: null,
    ends: [],
  });
});

test('an unknown agent has no times, and nothing is stored for it', async () => {
  const id = uuidv7();
  await noteStartTimes(project, id, { scheduledAt: at('01.000'), programStartedAt: null });
  expect(await findAgentTimes(project, id, 'agent-1')).toBeUndefined();
});

/** When the agent of these tests was made, and when it stopped. */
const MADE = Date.parse('2000-01-01T12:00:00.000Z');
const STOPPED = MADE + 600_000;

test.each([
  ['its own text', {}, true],
  ['its own transcript', { kind: 'transcript' }, true],
  ['a state of its own', { kind: 'state_change_notification' }, false],
  ['the text of another agent', { participant: 'agent-2' }, false],
  ['the text of a user', { role: 'user' }, false],
  ['a text from before it was made', { receivedAt: MADE - 1000 }, false],
  ['a text that was on its way when it stopped', { receivedAt: STOPPED + 59_000 }, true],
  ['a text from a minute after its end', { receivedAt: STOPPED + 61_000 }, false],
] as const)('the first words of an agent: %s', async (_, part, isFound) => {
  const sessionId = await project.newOldSession();
  const id = await addAgent(project, { sessionId });
  await project.sql`
    update agents set status = 'Stopped', desired = 'stopped', created_at = ${new Date(MADE).toISOString()},
      stopped_at = ${new Date(STOPPED).toISOString()} where id = ${id}`;
  const words = { role: 'assistant', participant: 'agent-1', receivedAt: MADE + 1000 } as const;
  await appendMessages(project, [typedText(sessionId, { ...words, ...part })]);
  const times = await findAgentTimes(project, id, 'agent-1');
  expect(times?.firstWordsAt !== null).toBe(isFound);
});

test('of many words the first count, and never those in another session', async () => {
  const [sessionId, other] = [await project.newOldSession(), await project.newOldSession()];
  const id = await addAgent(project, { sessionId });
  await project.sql`update agents set created_at = ${new Date(MADE).toISOString()} where id = ${id}`;
  const words = { role: 'assistant', participant: 'agent-1' } as const;
  await appendMessages(project, [
    typedText(other, { ...words, receivedAt: MADE }),
    typedText(sessionId, { ...words, receivedAt: MADE + 5 }),
    typedText(sessionId, { ...words, receivedAt: MADE + 9 }),
  ]);
  expect(await findAgentTimes(project, id, 'agent-1')).toMatchObject({
    firstWordsAt: '2000-01-01T12:00:00.005Z',
  });
});
