import type { AuditEvent } from '@session/contract';
import type { InjectOptions } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { TEST_PASSWORD, type TestApi, type TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const SECRET = 'canary-that-nobody-may-read';
const STEPS = [{ id: 'name', title: 'Name', instructions: SECRET }];

type Send = (
  caller: TestUser,
  method: 'DELETE' | 'PATCH' | 'POST',
  url: string,
  payload?: object,
  key?: string,
) => Promise<{ readonly id: string; readonly [field: string]: unknown }>;

test('200 with who did what in the project, the newest first, and nothing that is secret or was said', async ({
  api,
  ana,
}) => {
  const send = sending(api);
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana);
  const project = `/projects/${projectId}`;
  const done: string[] = [];
  const secrets = [SECRET, TEST_PASSWORD];
  const note = (action: string, { id: actor }: TestUser, target: unknown) =>
    done.unshift(`${action} ${actor} ${String(target)}`);

  await send(ana, 'PATCH', project, { name: 'renamed' });
  note('project.renamed', ana, projectId);
  await send(ana, 'PATCH', project, { name: 'renamed' });
  await send(ana, 'POST', `${project}/members`, { email: ben.email, role: 'MEMBER' });
  note('member.added', ana, ben.id);
  await send(ana, 'PATCH', `${project}/members/${ben.id}`, { role: 'ADMIN' });
  note('member.role_changed', ana, ben.id);
  await send(ana, 'PATCH', `${project}/members/${ben.id}`, { role: 'ADMIN' });
  const key = await send(ben, 'POST', `${project}/api-keys`, { name: 'Backend' });
  note('api_key.created', ben, key.id);
  const next = await send(ben, 'POST', `/api-keys/${key.id}/rotate`, { keepOldHours: 1 });
  note('api_key.rotated', ben, key.id);
  for (const { secret } of [key, next]) secrets.push(String(secret).slice(20));
  const backend = { ...ben, id: key.id, token: String(next['secret']) };

  const variables = { LLM_API_KEY: SECRET };
  const environment = { name: 'Production', variables };
  // The same request a second time creates nothing.
  const [env] = [
    await send(ben, 'POST', `${project}/env-templates`, environment, 'once'),
    await send(ben, 'POST', `${project}/env-templates`, environment, 'once'),
  ];
  note('env_template.created', ben, env.id);
  await send(ben, 'PATCH', `/env-templates/${env.id}`, { variables: { LLM_MODEL: SECRET } });
  note('env_template.changed', ben, env.id);
  const plan = await send(ben, 'POST', `${project}/plan-templates`, { name: 'P', steps: STEPS });
  note('plan_template.created', ben, plan.id);
  await send(ben, 'PATCH', `/plan-templates/${plan.id}`, { description: SECRET });
  note('plan_template.changed', ben, plan.id);
  await send(ben, 'PATCH', `/plan-templates/${plan.id}`, { description: SECRET });

  const { id: sessionId } = await send(backend, 'POST', `${project}/sessions`, { name: SECRET });
  const participant = { id: 'customer-7', name: 'Ada', attributes: { note: SECRET } };
  const token = await send(backend, 'POST', `/sessions/${sessionId}/token`, { participant });
  const identity = String(token['participantIdentity']);
  note('end_user.let_in', backend, identity.slice('user-'.length, -'-0f1e2d'.length));
  for (const part of ['accessToken', 'participantToken']) secrets.push(String(token[part]));
  await send(backend, 'POST', `/sessions/${sessionId}/token`, { participant });
  await send(backend, 'POST', `/sessions/${sessionId}/token`);
  const agent = { role: 'echo-agent' };
  const { id: agentId } = await send(backend, 'POST', `/sessions/${sessionId}/agents`, agent);
  note('agent.started', backend, agentId);
  for (let turn = 0; turn < 2; turn += 1) await send(ben, 'DELETE', `/agents/${agentId}`);
  note('agent.stopped', ben, agentId);
  for (let turn = 0; turn < 2; turn += 1) await send(ben, 'POST', `/sessions/${sessionId}/close`);
  note('session.closed', ben, sessionId);
  await send(ben, 'DELETE', `/sessions/${sessionId}`);
  note('session.deleted', ben, sessionId);
  await send(ben, 'DELETE', `/env-templates/${env.id}`);
  note('env_template.deleted', ben, env.id);
  await send(ben, 'DELETE', `/plan-templates/${plan.id}`);
  note('plan_template.deleted', ben, plan.id);
  await send(ben, 'DELETE', `/api-keys/${key.id}`);
  note('api_key.deleted', ben, key.id);
  await send(ben, 'DELETE', `${project}/members/${ben.id}`);
  note('member.removed', ben, ben.id);

  const events: AuditEvent[] = [];
  for (let cursor = ''; ; ) {
    const url = `${project}/audit?limit=7${cursor}`;
    const { items, nextCursor } = (await api.inject(ana, { url })).json();
    events.push(...items);
    if (nextCursor === null) break;
    cursor = `&cursor=${nextCursor}`;
  }
  expect(events.map(({ action, actor, target }) => `${action} ${actor?.id} ${target}`)).toEqual(
    done,
  );
  expect(events.find(({ action }) => action === 'agent.started')).toMatchObject({
    actor: { id: key.id, name: 'Backend', kind: 'api_key' },
    detail: { role: 'echo-agent', sessionId },
  });
  const stored = await api.deps.database.sql`
    select event::text from audit_events event where project_id = ${projectId}`;
  expect(stored).toHaveLength(done.length);
  const text = JSON.stringify([events, stored]);
  for (const secret of secrets) expect(text).not.toContain(secret);
});

test('200 with the events of one action and of one actor alone; 400 for what is neither', async ({
  api,
  ana,
}) => {
  const send = sending(api);
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'ADMIN']]);
  const project = `/projects/${projectId}`;
  await send(ana, 'PATCH', project, { name: 'first' });
  await send(ben, 'PATCH', project, { name: 'second' });
  const list = async (query: string) => await api.inject(ana, { url: `${project}/audit?${query}` });
  const namesOf = async (query: string) =>
    (await list(query)).json().items.map(({ detail }: AuditEvent) => detail['name']);
  expect(await namesOf('action=project.renamed')).toEqual(['second', 'first']);
  expect(await namesOf(`actor=${ana.id}`)).toEqual(['first']);
  expect(await namesOf(`actor=${ben.id}&action=project.renamed`)).toEqual(['second']);
  expect(await namesOf(`actor=${ben.id}&action=session.closed`)).toEqual([]);
  for (const query of ['action=renamed', 'actor=ana', 'who=ana']) {
    const refused = await list(query);
    expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
  }
  expect((await list(`cursor=${uuidv7()}`)).json().code).toBe('invalid_cursor');
});

/**
 * Returns a function that sends a request, and returns the body of its answer. The function throws when the request
 * fails.
 */
function sending(api: TestApi): Send {
  return async (caller, method, url, payload, key) => {
    const request: InjectOptions = { method, url };
    if (payload) request.payload = payload;
    if (key !== undefined) request.headers = { 'idempotency-key': key };
    const answer = await api.inject(caller, request);
    if (answer.statusCode >= 300) throw new Error(answer.body);
    return answer.body === '' ? { id: '' } : answer.json();
  };
}
