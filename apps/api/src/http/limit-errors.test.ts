import type { LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import { apiTest } from '../../testing/api-test.ts';
import { STEP } from '../../testing/plan-templates.ts';

const COUNTS = 'What is in a project counts for the owner who created it or took it over.';

apiTest(
  '409 project_capacity: of 170 projects, ten requested at once, an account gets 50',
  async ({ api, ana }) => {
    const request = { method: 'POST', url: '/projects', payload: { name: 'Mine' } } as const;
    const answers: LightMyRequestResponse[] = [];
    while (answers.length < 170) {
      const ten = Array.from({ length: 10 }, () => api.inject(ana, request));
      answers.push(...(await Promise.all(ten)));
    }
    const refused = answers.filter(({ statusCode }) => statusCode !== 201);
    expect(refused.map(codeOf)).toEqual(Array(120).fill('409 project_capacity'));
    expect(refused[0]?.json().detail).toBe(
      'An account may have at most 50 projects. Delete one of them first.',
    );
    const ben = await api.createUser('ben');
    expect((await api.inject(ben, request)).statusCode).toBe(201);
  },
);

const test = apiTest.extend('options', () => ({
  env: { TEMPLATE_CAPACITY_PER_ACCOUNT: '2', TEMPLATE_BYTES_PER_ACCOUNT: '2000' },
}));

test('409 template_capacity for a template of either kind too many, in whichever project of the account', async ({
  api,
  ana,
}) => {
  const urls = await Promise.all(
    [1, 2].map(async () => `/projects/${await api.createProject(ana)}`),
  );
  const make = async (url = '') => [
    await api.inject(ana, { method: 'POST', url: `${url}/env-templates`, payload: ENV }),
    await api.inject(ana, { method: 'POST', url: `${url}/plan-templates`, payload: PLAN }),
  ];
  expect((await make(urls[0])).map(codeOf)).toEqual(['201 ', '201 ']);
  const refused = await make(urls[1]);
  expect(refused.map(codeOf)).toEqual(Array(2).fill('409 template_capacity'));
  expect(refused[0]?.json().detail).toBe(
    `An account may have at most 2 templates in all its projects. Delete one of them first. ${COUNTS}`,
  );
});

test('409 template_bytes for a template that grows too long; it may become shorter', async ({
  api,
  ana,
}) => {
  const url = `/projects/${await api.createProject(ana)}`;
  const make = { env: `${url}/env-templates`, plan: `${url}/plan-templates` };
  const change = async (made: LightMyRequestResponse, payload: object) =>
    codeOf(await api.inject(ana, { method: 'PATCH', url: String(made.headers.location), payload }));
  const env = await api.inject(ana, { method: 'POST', url: make.env, payload: ENV });
  const long = { LLM_API_KEY: 'x'.repeat(900) };
  expect(await change(env, { variables: long })).toBe('200 ');
  const plan = await api.inject(ana, { method: 'POST', url: make.plan, payload: PLAN });
  expect(await change(plan, { steps: stepsOf(1500) })).toBe('409 template_bytes');
  expect(await change(env, { variables: { ...long, MORE: 'x'.repeat(1200) } })).toBe(
    '409 template_bytes',
  );
  expect(await change(env, { variables: { LLM_API_KEY: 'x' } })).toBe('200 ');
  expect(await change(plan, { steps: stepsOf(1500) })).toBe('200 ');
});

test('409 for an owner who would take a project over without room for it, and nobody leaves', async ({
  api,
  ana,
}) => {
  const ben = await api.createUser('ben');
  const id = await api.createProject(ana, [[ben, 'OWNER']]);
  const bens = await api.createProject(ben);
  for (const [user, project] of [
    [ana, id],
    [ben, bens],
    [ben, bens],
  ] as const) {
    const url = `/projects/${project}/plan-templates`;
    await api.inject(user, { method: 'POST', url, payload: PLAN });
  }
  const member = { url: `/projects/${id}/members/${ana.id}` };
  const payload = { role: 'MEMBER' };
  const answers = [
    await api.inject(ben, { method: 'DELETE', ...member }),
    await api.inject(ben, { method: 'PATCH', ...member, payload }),
  ];
  expect(answers.map(codeOf)).toEqual(Array(2).fill('409 template_capacity'));
  expect(answers[0]?.json().detail).toBe(
    'The project would count for your account, which may have at most 2 templates in all its projects. Delete one of them first.',
  );
  const list = await api.inject(ana, { url: `/projects/${id}/members` });
  expect(list.json().items).toHaveLength(2);
});

const ENV = { name: 'Keys', variables: { LLM_API_KEY: 'key' } };
const PLAN = { name: 'Plan', steps: [STEP] };

function stepsOf(length: number): object[] {
  return [{ ...STEP, instructions: 'x'.repeat(length) }];
}

function codeOf(answer: { statusCode: number; json(): { code?: string } }): string {
  return `${answer.statusCode} ${answer.json().code ?? ''}`;
}
