import { ProviderSignIn } from '@session/contract';
import { testMedia } from '@session/testing';
import { fillPasswordLink } from '@session/testing/browser';
import { startTestProvider, type TestProvider } from '@session/testing/identity-provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { CALLS, type MethodName, type Subjects } from '../testing/calls.ts';
import { newPerson } from '../testing/person.ts';
import { type RealApi, startRealApi } from '../testing/real-api.ts';
import { SHAPES } from '../testing/shapes.ts';
import type { AdminClient } from './admin.ts';
import { createClient, isApiError, Timeline } from './index.ts';

const Made = z.object({ id: z.string() });
/** One API for all tests in this file. Each test has its own users. */
let api: RealApi;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  provider.people.set('cy', { email: 'cy@login.example.org', email_verified: true });
  api = await startRealApi(testMedia(), [], provider.env);
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

test('each method is called once, and what it returns has the shape that its type says', {
  // On a busy machine a sign-up, a login and an agent take half a minute.
  timeout: 90_000,
}, async () => {
  const { client } = await newPerson(api, 'Ada');
  const ben = await newPerson(api, 'Ben');
  const project = await client.projects.create({ name: 'First' });
  const session = await client.sessions.create(project.id, { name: 'Hello' });
  const found = new Map<string, unknown>();
  const idOf = (method: MethodName) => (found.has(method) ? Made.parse(found.get(method)).id : '');
  const invite = async (name: string) =>
    await client.invitations.create(project.id, { email: `${name}@example.org` });
  const startExternal = async () =>
    (await client.agents.start(session.id, { role: 'external' })).id;
  const comeBack = async () => {
    const { url, handle } = ProviderSignIn.parse(found.get('signIn.start'));
    return { handle, ...(await provider.signIn(url, 'cy')) };
  };
  for (const [method, { call }] of Object.entries(CALLS)) {
    const isBack = method === 'signIn.finish';
    const subjects: Subjects = {
      projectId: project.id,
      sessionId: session.id,
      agentId: idOf('agents.start'),
      externalAgentId: method === 'agents.createToken' ? await startExternal() : '',
      userId: ben.id,
      otherEmail: ben.email,
      envTemplateId: idOf('envTemplates.create'),
      planTemplateId: idOf('planTemplates.create'),
      agentTemplateId: idOf('agentTemplates.create'),
      apiKeyId: idOf('apiKeys.create'),
      invitationId: method === 'invitations.delete' ? (await invite('eve')).id : '',
      secrets: {
        invitation: method.startsWith('invitations.') ? secretOf(await invite('fay')) : '',
        password:
          method === 'account.resetPassword' ? await fillPasswordLink(api.databaseUrl, ben.id) : '',
      },
      signIn: isBack ? await comeBack() : { handle: '', code: '', state: '' },
      webhookId: idOf('webhooks.create'),
      deliveryId: await sendSomething(method, client, project.id, idOf('webhooks.create')),
      erasureId: idOf('erasures.create'),
    };
    // Most of these end the token of their caller.
    const isOfAccount = method.startsWith('account.');
    const caller = isOfAccount ? (await newPerson(api, 'Cleo')).client : client;
    found.set(method, await call(caller, subjects));
  }
  for (const [method, shape] of Object.entries(SHAPES)) {
    expect([method, shape.safeParse(found.get(method)).error]).toEqual([method, undefined]);
  }
  const error: unknown = await client.sessions.get(session.id).catch((reason: unknown) => reason);
  expect(isApiError(error, 'not_found') && error.requestId !== null).toBe(true);
});

/** Makes the service send an event to the webhook, before the method that sends it again, and returns its delivery. */
async function sendSomething(
  method: string,
  client: AdminClient,
  projectId: string,
  webhookId: string,
): Promise<string> {
  if (method !== 'webhooks.redeliver') return '';
  await client.sessions.create(projectId, { name: 'Sent' });
  const list = async () => (await client.webhooks.deliveries(webhookId)).items;
  await expect.poll(async () => (await list()).length).toBeGreaterThan(0);
  const [delivery] = await list();
  return delivery?.id ?? '';
}

function secretOf({ link }: { readonly link: string }): string {
  return link.split('#')[1] ?? '';
}

test('the same key makes one object, and a walk over pages finds each object once', async () => {
  const { client } = await newPerson(api, 'Ada');
  const names = Array.from({ length: 7 }, (_, number) => `Project ${number}`);
  for (const name of names) {
    const key = { idempotencyKey: name };
    const [one, other] = [
      await client.projects.create({ name }, key),
      await client.projects.create({ name }, key),
    ];
    expect(other.id).toBe(one.id);
  }
  const all = await client.projects.list({ limit: 3 }).toArray({ limit: 100 });
  expect(all.map(({ name }) => name).toSorted()).toEqual(names);
});

test('an agent’s log is followed from its first line to its last while a message is said', async () => {
  const { client, id: userId } = await newPerson(api, 'Ada');
  const project = await client.projects.create({ name: 'First' });
  const { id } = await client.sessions.create(project.id, { name: 'Hello' });
  const role = 'echo-agent';
  expect(await client.agents.check(id, { role })).toEqual([]);
  const agent = await client.agents.start(id, { role });
  const lines: string[] = [];
  const follow = async () => {
    for await (const event of client.agents.logs(agent.id, { follow: true })) {
      if (event.type === 'line') lines.push(event.line);
    }
  };
  const followed = follow();
  await client.agents.untilRunning(agent.id);
  const timeline = new Timeline();
  timeline.first(await client.messages.list(id));
  const participant = { identity: `user-${userId}`, name: 'Ada', sid: null, kind: 'standard' };
  const own = { id: '0197a1b2-c3d4-7e5f-8a9b-0c1d2e3f4aff', content: 'Good morning' };
  timeline.say({ ...own, participant });
  expect(timeline.getSnapshot().items).toMatchObject([{ state: 'sending', timestamp: null }]);
  timeline.confirm(await client.messages.say(id, own));
  const asked = timeline.askLatest();
  if (!asked) throw new Error('the first page is there');
  timeline.latest(asked, await client.messages.latest(id, { since: asked.since, wait: 1 }));
  const { items } = timeline.getSnapshot();
  expect(items).toMatchObject([{ id: own.id, content: 'Good morning', state: 'complete' }]);
  await client.agents.stop(agent.id);
  await followed;
  expect(lines.length).toBeGreaterThan(0);
  expect((await client.agents.logs(agent.id)).items.map(({ line }) => line)).toEqual(lines);
});

test('a token that the API refuses is replaced once', async () => {
  const ada = await newPerson(api, 'Ada');
  let asked = 0;
  const client = createClient({
    baseUrl: api.url,
    token: ({ expired }) => {
      if (expired) asked += 1;
      return expired ? ada.token : `${ada.token}x`;
    },
  });
  expect((await client.auth.me()).id).toBe(ada.id);
  expect((await client.auth.me()).id).toBe(ada.id);
  expect([asked, (client.auth.expiresAt?.getTime() ?? 0) > Date.now()]).toEqual([1, true]);
});

test('an end user of a product reads and speaks by the token that a key asked for', async () => {
  const { client } = await newPerson(api, 'Ada');
  const { id: projectId } = await client.projects.create({ name: 'Product' });
  const { secret } = await client.apiKeys.create(projectId, { name: 'Backend' });
  const backend = createClient({ baseUrl: api.url, token: secret });
  const { id } = await backend.sessions.create(projectId, { name: 'Hello', externalId: 'order-7' });
  const participant = { id: 'customer-7', name: 'Grace' };
  const { accessToken } = await backend.sessions.createToken(id, { participant, accessTtl: 60 });
  const page = createClient({ baseUrl: api.url, token: accessToken ?? '' });
  await using conversation = page.conversation(id);
  await conversation.open();
  await conversation.say('Good morning');
  const said = async () =>
    (await backend.messages.list(id)).items.map(({ content, metadata }) => [
      content,
      metadata?.['participant'],
    ]);
  await expect
    .poll(said)
    .toMatchObject([['Good morning', { name: 'Grace', externalId: 'customer-7' }]]);
});
