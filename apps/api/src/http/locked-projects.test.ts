import { AppError } from '@session/kit';
import { holdLocks } from '@session/testing';
import type { InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { startTestApi } from '../../testing/api.ts';
import { apiTest } from '../../testing/api-test.ts';
import { secretIn } from '../../testing/invitations.ts';
import { codesOf, expectWell, startLimitedApi } from '../../testing/limited-api.ts';
import { STEP } from '../../testing/plan-templates.ts';

type Change = readonly [route: string, payload?: object];

const HELD: readonly Change[] = [
  ['PATCH /projects/:projectId', { name: 'changed' }],
  ['PATCH /webhooks/:webhookId', { status: 'active' }],
  ['POST /invitations/accept', { secret: ':secret' }],
  ['PATCH /agent-templates/:agentTemplateId', { name: 'changed' }],
];
const CHANGES: readonly Change[] = [
  ...HELD,
  ['DELETE /projects/:projectId'],
  ['PATCH /projects/:projectId/members/:memberId', { role: 'ADMIN' }],
  ['DELETE /projects/:projectId/members/:memberId'],
  ['POST /projects/:projectId/api-keys', { name: 'new' }],
  ['POST /api-keys/:keyId/rotate', {}],
  ['DELETE /api-keys/:keyId'],
  ['POST /projects/:projectId/invitations', { email: 'new@example.org' }],
  ['DELETE /invitations/:invitationId'],
  ['POST /projects/:projectId/webhooks', { url: 'https://example.org/new' }],
  ['POST /webhooks/:webhookId/rotate-secret', {}],
  ['DELETE /webhooks/:webhookId'],
  ['PATCH /plan-templates/:planTemplateId', { name: 'changed' }],
  ['PATCH /env-templates/:envTemplateId', { name: 'changed' }],
  ['DELETE /agent-templates/:agentTemplateId'],
];

/** As `apiTest`, with `requestOf`, which returns a request that changes a new project of `ana`. */
const test = apiTest.extend('requestOf', async ({ api, ana }) => {
  const ben = await api.createUser('ben');
  const projectId = await api.createProject(ana, [[ben, 'MEMBER']]);
  const create = async (objects: string, payload: object) => {
    const url = `/projects/${projectId}/${objects}`;
    return (await api.inject(ana, { method: 'POST', url, payload })).json();
  };
  const invitation = await create('invitations', { email: 'a@example.org' });
  const ids = new Map<string, string>([
    ['projectId', projectId],
    ['memberId', ben.id],
    ['invitationId', invitation.id],
    ['secret', secretIn(invitation.link)],
    ['keyId', (await create('api-keys', { name: 'a' })).id],
    ['webhookId', (await create('webhooks', { url: 'https://example.org/in' })).id],
    ['planTemplateId', (await create('plan-templates', { name: 'a', steps: [STEP] })).id],
    [
      'envTemplateId',
      (await create('env-templates', { name: 'a', variables: { LLM_API_KEY: 'a' } })).id,
    ],
    ['agentTemplateId', (await create('agent-templates', { name: 'a', role: 'light-agent' })).id],
  ]);
  return ([route, payload]: Change): InjectOptions => {
    const [method, url] = route.split(' ');
    const text = JSON.stringify({ method, url, payload });
    return JSON.parse(text.replaceAll(/:(\w+Id|secret)\b/g, (_, id: string) => ids.get(id) ?? ''));
  };
});

test.for(HELD)(
  '503 for each %s that waits for the project, and 200 from other routes, because they leave connections free',
  async (change, { database, ana, requestOf }) => {
    await using api = await startLimitedApi(database.url);
    await using _ = await lockProjects(database.url);
    // Several rounds, because some requests end before they have a connection.
    for (let round = 0; round < 3; round += 1) {
      const requests = Array.from({ length: 12 }, () => requestOf(change));
      expect(await codesOf(api, ana, requests)).toEqual(['unavailable']);
    }
    await expectWell(api, ana);
  },
);

test('200 from other routes, and 201 for a creation, while changes wait for 12 projects', async ({
  database,
  api,
  ana,
}) => {
  const payload = { name: 'a' };
  const requests: InjectOptions[] = [];
  for (let made = 0; made < 12; made += 1) {
    requests.push({ method: 'PATCH', url: `/projects/${await api.createProject(ana)}`, payload });
  }
  await using other = await startLimitedApi(database.url);
  await using _ = await lockProjects(database.url);
  expect(await codesOf(other, ana, requests)).toEqual(['unavailable']);
  await expectWell(other, ana);
  const create = () => other.inject(ana, { method: 'POST', url: '/projects', payload });
  await expect.poll(create).toMatchObject({ statusCode: 201 });
});

test('503 for a change of a project that gets no turn', async ({ database, ana, requestOf }) => {
  await using api = await startTestApi(database.url, { deps: { inProjectTurn: refuseTurn } });
  for (const change of CHANGES) {
    const answer = await api.inject(ana, requestOf(change));
    expect([change[0], answer.statusCode]).toEqual([change[0], 503]);
  }
});

async function refuseTurn(): Promise<never> {
  throw new AppError('unavailable', 'no turn came in time');
}

async function lockProjects(url: string): Promise<AsyncDisposable> {
  return await holdLocks(url, async (sql) => await sql`select from projects for no key update`);
}
