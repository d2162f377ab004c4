import path from 'node:path';
import { type Client, createClient, type PlanTemplateBody } from '@session/client';
import { encodePacket } from '@session/contract/room';
import { PLANTED_KEY, says, startScriptedModel } from '@session/conversation/testing';
import { joinRoom } from '@session/media';
import { joinUnannounced } from '@session/media/testing';
import { startStack } from '@session/testing/browser';
import { expect, test as plainTest } from 'vitest';
import { until } from '../../testing/stack.ts';
import { pidOfAgent } from '../../testing/talk.ts';
import { signUp } from '../demo/sign-up.ts';

const testFolder = path.resolve(import.meta.dirname, '../../../../.cache/stack-test');

/** A test on a stack that the tests of this file share. */
const test = plainTest
  .extend('folder', { scope: 'file' }, () => path.join(testFolder, `speakers-${process.pid}`))
  .extend('stack', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
    const stack = await startStack(folder, { CONSOLE: 'off' });
    onCleanup(() => stack[Symbol.asyncDispose]());
    return stack;
  });

const PLAN: PlanTemplateBody = {
  name: 'Arrival',
  steps: [
    { title: 'Day', instructions: 'Ask for the day.', deliverable: { title: 'Day', type: 'date' } },
    { title: 'Wish', instructions: 'Ask for the wish.', deliverable: 'Wish' },
    { title: 'Guest', instructions: 'Ask for the guest.', deliverable: 'Guest' },
  ],
};

test('one person over three visits, REST, a restart and a second agent is one speaker, without a label', async ({
  stack: { apiUrl, folder },
}) => {
  await using model = await startScriptedModel(says('Noted.'));
  const [curl, dora] = [await signUp(apiUrl, 'Curl'), await signUp(apiUrl, 'Dora')];
  const { id: projectId } = await curl.client.projects.create({ name: 'Visits' });
  await curl.client.members.add(projectId, { email: dora.email });
  const session = await openSession(curl.client, projectId);
  const variables = {
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    GREETING: 'off',
  };
  const template = await curl.client.envTemplates.create(projectId, { name: 'Model', variables });
  const start = async (role: string) => {
    const agent = { role, envTemplateId: template.id };
    const { id } = await curl.client.agents.start(session, agent);
    await until(async () => (await curl.client.agents.get(id)).status === 'Running');
    return id;
  };
  const prompt = () => JSON.stringify(model.requests.at(-1)?.body['messages'] ?? []);
  const untilPrompted = (text: string) => expect.poll(prompt, { timeout: 30_000 }).toContain(text);
  const untilAnswered = (count: number) => untilAnswers(curl.client, session, count);

  const agentId = await start('light-agent');
  for (const [index, text] of ['the first visit', 'the second visit'].entries()) {
    await visit(curl.client, session, text);
    await untilPrompted(`"${text}"`);
    await untilAnswered(index + 1);
  }
  const unlabelled = [...model.requests];
  // An agent waits 1 s for the announcement of a sender. If a busy machine takes longer, the prompts have labels until the restart.
  await visitUnannounced(curl.client, session, 'the third visit');
  await untilPrompted('the third visit"');
  await untilAnswered(3);
  await curl.client.messages.say(session, { content: 'over REST' });
  await untilPrompted('over REST"');
  await untilAnswered(4);
  const labelled = model.requests.length;
  process.kill(await pidOfAgent(path.join(folder, 'agents'), agentId), 'SIGKILL');
  await until(async () => (await curl.client.agents.get(agentId)).restarts === 1);
  await curl.client.messages.say(session, { content: 'while it restarts' });
  await untilPrompted('"while it restarts"');
  await untilAnswered(5);
  for (const text of ['the third visit', 'over REST']) expect(prompt()).toContain(`"${text}"`);
  await visit(curl.client, session, 'the fourth visit');
  await untilPrompted('"the fourth visit"');
  await untilAnswered(6);
  await start('core-agent');
  const asked = model.requests.length;
  await curl.client.messages.say(session, { content: 'core-agent, and you?' });
  await expect.poll(() => model.requests.length).toBe(asked + 1);
  await untilAnswered(7);
  await curl.client.messages.say(session, { content: 'light-agent, and you?' });
  await expect.poll(() => model.requests.length).toBe(asked + 2);
  await untilAnswered(8);
  unlabelled.push(...model.requests.slice(labelled));
  for (const { body } of unlabelled) {
    expect(JSON.stringify(body['messages'])).not.toMatch(/Curl|\(no name\)/);
  }

  await dora.client.messages.say(session, { content: 'I am here too' });
  await untilPrompted('"Dora: I am here too"');
  expect(prompt()).toContain('"Curl: the first visit"');
  expect(prompt()).not.toMatch(/\(2\)|\(no name\)/);
}, 400_000);

test('labels of two accounts reach no deliverable: a date is valid, and a text is what was said', async ({
  stack: { apiUrl },
}) => {
  const [curl, dora] = [await signUp(apiUrl, 'Curl'), await signUp(apiUrl, 'Dora')];
  const { id: projectId } = await curl.client.projects.create({ name: 'Labels' });
  await curl.client.members.add(projectId, { email: dora.email });
  const session = await openSession(curl.client, projectId);
  const variables = { LLM_API_KEY: 'rehearsal' };
  const template = await curl.client.envTemplates.create(projectId, { name: 'Model', variables });
  const plan = await curl.client.planTemplates.create(projectId, PLAN);
  const agent = { role: 'light-agent', envTemplateId: template.id, planId: plan.id };
  const { id } = await curl.client.agents.start(session, agent);
  await until(async () => (await curl.client.agents.get(id)).status === 'Running');
  const values = async () => {
    const { plans } = await curl.client.sessions.getState(session);
    return plans[0]?.deliverables.map(({ value }) => value) ?? [];
  };
  /** A text that comes after a value is stored, and before its step is completed, would be taken for that step. */
  const untilAskedFor = async (title: string) =>
    await until(async () => {
      const { items } = await curl.client.messages.list(session, {});
      return items.some(({ content }) => content.endsWith(`Please tell me: ${title}.`));
    });
  await dora.client.messages.say(session, { content: 'hello' });
  await visit(curl.client, session, '24 November 2026');
  await expect.poll(values, { timeout: 30_000 }).toEqual(['2026-11-24']);
  await untilAskedFor('Wish');
  await visit(curl.client, session, 'hello');
  await expect.poll(values, { timeout: 30_000 }).toEqual(['2026-11-24', 'hello']);
  await untilAskedFor('Guest');
  await dora.client.messages.say(session, { content: 'a sea view' });
  await expect.poll(values, { timeout: 30_000 }).toEqual(['2026-11-24', 'hello', 'a sea view']);
}, 400_000);

test('an end user of a product is one speaker over visits, tokens and REST; agents, history and live clients have the name and the id of the product', async ({
  stack: { apiUrl },
}) => {
  await using model = await startScriptedModel(says('Noted.'));
  const owner = await signUp(apiUrl, 'Owner');
  const { id: projectId } = await owner.client.projects.create({ name: 'Product' });
  const { client } = owner;
  const session = await openSession(client, projectId);
  const variables = {
    LLM_API_KEY: PLANTED_KEY,
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    GREETING: 'off',
  };
  const { id: envTemplateId } = await client.envTemplates.create(projectId, {
    name: 'Model',
    variables,
  });
  const { id: agentId } = await client.agents.start(session, {
    role: 'light-agent',
    envTemplateId,
  });
  await until(async () => (await client.agents.get(agentId)).status === 'Running');
  const letIn = async (id: string, name: string) => {
    const participant = { id, name };
    return await client.sessions.createToken(session, { participant });
  };
  const prompt = () => JSON.stringify(model.requests.at(-1)?.body['messages'] ?? []);
  const untilPrompted = (text: string) => expect.poll(prompt, { timeout: 30_000 }).toContain(text);

  for (const [index, text] of ['the first visit', 'the second visit'].entries()) {
    const { serverUrl: url, participantToken: token } = await letIn('customer-7', 'Eva');
    await using room = await joinRoom({ url, token });
    await room.say(text);
    await untilPrompted(`"${text}"`);
    await untilAnswers(client, session, index + 1);
  }
  const eva = createClient({
    baseUrl: apiUrl,
    token: (await letIn('customer-7', 'Eva')).accessToken ?? '',
  });
  await eva.messages.say(session, { content: 'over REST' });
  await untilPrompted('"over REST"');
  await untilAnswers(client, session, 3);
  for (const { body } of model.requests) {
    expect(JSON.stringify(body['messages'])).not.toMatch(/Eva|\(no name\)/);
  }
  const { serverUrl: url, participantToken: token } = await letIn('customer-8', 'Finn');
  await using room = await joinRoom({ url, token });
  await room.say('I am here too');
  await untilPrompted('"Finn: I am here too"');
  expect(prompt()).toContain('"Eva: the first visit"');
  expect(prompt()).not.toMatch(/\(2\)|\(no name\)|customer-/);
  const said = async () => {
    const { items } = await client.messages.list(session, { kind: 'text' });
    return items.map(({ metadata }) => metadata?.['participant']);
  };
  await expect.poll(async () => (await said()).length).toBe(4);
  const eva7 = { name: 'Eva', externalId: 'customer-7' };
  const finn8 = { name: 'Finn', externalId: 'customer-8' };
  expect(await said()).toMatchObject([finn8, eva7, eva7, eva7]);
  const { serverUrl, participantToken } = await client.sessions.createToken(session);
  await using live = await joinRoom({ url: serverUrl, token: participantToken });
  const names = () => live.participants.map(({ name }) => name);
  await expect.poll(names).toContain('Finn');
}, 400_000);

async function openSession(client: Client, projectId: string): Promise<string> {
  const { id } = await client.sessions.create(projectId, { name: 'Visits' });
  await until(async () => (await client.sessions.get(id)).recording.status === 'recording');
  return id;
}

/** Waits until `count` answers are stored. A text that comes before that shares one message of the prompt with the text before it. */
async function untilAnswers(client: Client, sessionId: string, count: number): Promise<void> {
  await until(async () => {
    const { items } = await client.messages.list(sessionId, {});
    return items.filter(({ role }) => role === 'assistant').length === count;
  });
}

/** Joins, says a text, and leaves. */
async function visit(client: Client, sessionId: string, text: string): Promise<void> {
  const { serverUrl: url, participantToken: token } = await client.sessions.createToken(sessionId);
  await using room = await joinRoom({ url, token });
  await room.say(text);
}

/** Like `visit`, as a client that announces itself late. */
async function visitUnannounced(client: Client, sessionId: string, text: string): Promise<void> {
  const { serverUrl, participantToken } = await client.sessions.createToken(sessionId);
  await using room = await joinUnannounced(serverUrl, participantToken);
  const payload = encodePacket({ type: 'user_text', data: text });
  await room.self.publishData(payload, { reliable: true });
  await until(async () => {
    const { items } = await client.messages.list(sessionId, {});
    return items.some(({ content }) => content === text);
  });
}
