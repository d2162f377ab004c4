import * as db from '@session/db';
import { AppError } from '@session/kit';
import { expect } from 'vitest';
import { startTestApi, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const ECHO = { role: 'echo-agent' };
const LIGHT = { role: 'light-agent' };
const token = { participant: { id: 'customer-7', name: 'Ada' } };

test('201 with a session, its agents or why they were not started, and a token that opens it', async ({
  api,
  ana,
}) => {
  const { key, create, agentsOf } = await product(api, ana);
  const payload = { name: 'Hello', agents: [LIGHT, ECHO, { role: 'x' }, ECHO], token };
  const created = await create(key, payload);
  const { id, agents, token: issued } = created.json();
  expect([created.statusCode, created.headers.location]).toEqual([201, `/sessions/${id}`]);
  expect(agents).toMatchObject([
    { problem: { code: 'env_template_required', status: 400, requestId: expect.any(String) } },
    { agent: { role: 'echo-agent', sessionId: id, status: 'Starting', createdBy: key.id } },
    {
      problem: { code: 'unknown_role', status: 400, detail: expect.stringContaining('roles are') },
    },
    { problem: { code: 'agent_already_running', status: 409 } },
  ]);
  expect(await agentsOf(id)).toEqual([agents[1].agent.id]);
  const ada = { ...ana, token: issued.accessToken };
  expect((await api.inject(ada, { url: `/sessions/${id}` })).statusCode).toBe(200);
  expect(issued.roomName).toBe(id);
  const bare = (await create(key, { name: 'Bare' })).json();
  expect([bare.agents, bare.token]).toEqual([undefined, undefined]);
});

test('a repeat with the same key has the same session and agents, and starts those that are missing', async ({
  api,
  ana,
}) => {
  const { projectId, key, create, agentsOf } = await product(api, ana);
  const payload = { name: 'Hello', agents: [ECHO, LIGHT], token };
  const ask = async () => await create(key, payload, 'once');
  const first = (await ask()).json();
  expect(first.agents[1].problem.code).toBe('env_template_required');
  const echo = first.agents[0].agent.id;
  await api.deps.database
    .sql`update agents set status = 'Stopped', desired = 'stopped', stopped_at = now() where id = ${echo}`;
  await api.inject(ana, {
    method: 'POST',
    url: `/projects/${projectId}/env-templates`,
    payload: { name: 'Model', variables: { LLM_API_KEY: 'rehearsal' } },
  });
  const second = await ask();
  expect([second.statusCode, second.headers['idempotent-replayed']]).toEqual([201, 'true']);
  expect(second.json()).toMatchObject({
    id: first.id,
    agents: [{ agent: { id: echo, status: 'Stopped' } }, { agent: LIGHT }],
    token: { participantIdentity: expect.stringContaining('user-') },
  });
  const light = second.json().agents[1].agent.id;
  expect(await agentsOf(first.id)).toEqual([echo, light]);
  // As after a process that was killed between the session and its agents.
  await api.deps.database.sql`delete from agents`;
  await api.deps.database.sql`delete from idempotency_keys where object_id in (${echo}, ${light})`;
  const repeats = await Promise.all([ask(), ask(), ask()]);
  const ids = repeats.map((answer) =>
    answer.json().agents.map(({ agent }: { agent: { id: string } }) => agent.id),
  );
  expect(ids).toEqual([ids[0], ids[0], ids[0]]);
  expect(await agentsOf(first.id)).toEqual(ids[0]);
});

test('503 when an agent could not be started for a reason that passes; the repeat has the same session', async ({
  api,
  ana,
  database,
}) => {
  let isBusy = true;
  const { createOnce } = api.deps;
  const busy: typeof createOnce = async (request, create) => {
    if (isBusy && JSON.stringify(request.body) === JSON.stringify(ECHO)) {
      throw new AppError('unavailable', 'no turn came in time');
    }
    return await createOnce(request, create);
  };
  await using other = await startTestApi(database.url, { deps: { createOnce: busy } });
  const { projectId, agentsOf } = await product(api, ana);
  const url = `/projects/${projectId}/sessions`;
  const payload = { name: 'Hello', agents: [ECHO] };
  const headers = { 'idempotency-key': 'busy' };
  const ask = async () => await other.inject(ana, { method: 'POST', url, payload, headers });
  expect((await ask()).json()).toMatchObject({ status: 503, code: 'unavailable' });
  const [session] = (await api.inject(ana, { url })).json().items;
  isBusy = false;
  const { id, agents } = (await ask()).json();
  expect(id).toBe(session.id);
  expect(await agentsOf(id)).toEqual([agents[0].agent.id]);
});

test('in the session that has the external id agents are started and a token is issued, unless it is closed', async ({
  api,
  ana,
}) => {
  const { key, create, agentsOf } = await product(api, ana);
  const first = (await create(key, { name: 'Hello', externalId: 'order' })).json();
  const payload = { name: 'Other', externalId: 'order', agents: [ECHO], token };
  const found = await create(key, payload);
  expect([found.statusCode, found.json()]).toMatchObject([
    200,
    { id: first.id, name: 'Hello', agents: [{ agent: ECHO }], token: { roomName: first.id } },
  ]);
  const again = (await create(key, payload)).json();
  expect(again.agents).toMatchObject([{ problem: { code: 'agent_already_running' } }]);
  expect(again.token.accessToken).toEqual(expect.any(String));
  expect(await agentsOf(first.id)).toHaveLength(1);
  await db.closeSession(api.deps.database, first.id, 'user');
  const closed = (await create(key, payload)).json();
  expect(closed).toMatchObject({
    code: 'session_closed',
    detail: expect.stringContaining(`PATCH /sessions/${first.id} and \`{"externalId": null}\``),
  });
  const { token: _, ...withoutToken } = payload;
  expect((await create(key, withoutToken)).json()).toMatchObject({
    status: 'CLOSED',
    agents: [{ problem: { code: 'session_closed' } }],
  });
  const freed = {
    method: 'PATCH',
    url: `/sessions/${first.id}`,
    payload: { externalId: null },
  } as const;
  expect((await api.inject(key, freed)).statusCode).toBe(200);
  expect((await create(key, payload)).statusCode).toBe(201);
});

test('409 for a repeat whose session is closed says what helps: a new key, and that the external id must be free', async ({
  api,
  ana,
}) => {
  const { key, create } = await product(api, ana);
  for (const externalId of [undefined, 'order']) {
    const payload = { name: 'Hello', token, ...(externalId && { externalId }) };
    const { id } = (await create(key, payload, `first ${externalId}`)).json();
    await db.closeSession(api.deps.database, id, 'user');
    const refused = (await create(key, payload, `first ${externalId}`)).json();
    expect(refused).toMatchObject({
      code: 'session_closed',
      detail: expect.stringMatching(/ with a new Idempotency-Key\.$/),
    });
    const patch = `PATCH /sessions/${id} and \`{"externalId": null}\``;
    expect(refused.detail.includes(patch)).toBe(externalId !== undefined);
    if (externalId) {
      const free = {
        method: 'PATCH',
        url: `/sessions/${id}`,
        payload: { externalId: null },
      } as const;
      expect((await api.inject(key, free)).statusCode).toBe(200);
    }
    expect((await create(key, payload, `second ${externalId}`)).statusCode).toBe(201);
  }
});

test('403 for a MEMBER who names an end user, and no session; without one the token is their own', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const { projectId, create } = await product(api, ana, ben);
  const refused = await create(ben, { name: 'Hello', agents: [ECHO], token });
  expect([refused.statusCode, refused.json().code]).toEqual([403, 'forbidden']);
  const url = `/projects/${projectId}/sessions`;
  expect((await api.inject(ana, { url })).json().items).toEqual([]);
  const own = (await create(ben, { name: 'Hello', token: { mode: 'observe' } })).json();
  expect(own.token).toMatchObject({
    accessToken: null,
    participantIdentity: expect.stringMatching(/^observer-/),
  });
});

test('400 for more than five agents, and for a field of the token that needs the session’s id', async ({
  api,
  ana,
}) => {
  const { create } = await product(api, ana);
  const many = await create(ana, { name: 'Hello', agents: Array.from({ length: 6 }, () => ECHO) });
  expect(many.json().detail).toMatch(/^body\.agents: /);
  const named = await create(ana, { name: 'Hello', token: { room_name: 'x' } });
  expect([named.statusCode, named.json().code]).toEqual([400, 'invalid_request']);
});

async function product(api: TestApi, ana: TestUser, member?: TestUser) {
  const projectId = await api.createProject(ana, member ? [[member, 'MEMBER']] : []);
  const url = `/projects/${projectId}/sessions`;
  const create = async (user: TestUser, payload: object, once?: string) => {
    const headers = once === undefined ? {} : { 'idempotency-key': once };
    return await api.inject(user, { method: 'POST', url, payload, headers });
  };
  const agentsOf = async (id: string) => {
    const { items } = (await api.inject(ana, { url: `/sessions/${id}/agents` })).json();
    return items.map((agent: { id: string }) => agent.id).toReversed();
  };
  return { projectId, key: await api.createKey(projectId), create, agentsOf };
}
