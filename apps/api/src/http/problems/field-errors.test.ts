import { AuditAction } from '@session/contract';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi } from '../../../testing/api.ts';
import { apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

const limit = 'query.limit: a whole number from 1 to 100 is needed';

test.for(['abc', '0x10', '1e1', '%2010', '0', '101', ''])(
  'limit=%s is refused with a sentence that says what is needed',
  async (value, { api }) => {
    const { detail, errors } = await refusalOf(api, { url: `/projects?limit=${value}` });
    expect(detail).toBe(`${limit}.`);
    expect(errors).toMatchObject([{ path: 'query.limit' }]);
  },
);

test('each faulty field is listed, including unknown fields, up to twenty', async ({ api }) => {
  const payload = { name: 7, steps: [{ titel: 'a', title: 'a' }], color: 'red' };
  const url = `/projects/${uuidv7()}/plan-templates`;
  const { detail, errors } = await refusalOf(api, { method: 'POST', url, payload });
  expect(errors.map(({ path }) => path)).toEqual([
    'body.name',
    'body.steps.0.instructions',
    'body.steps.0.titel',
    'body.color',
  ]);
  expect(detail).toMatch(/^body\.name: .*\. See `errors` for the other faults\.$/);
  const many = Object.fromEntries(Array.from({ length: 99 }, (_, n) => [`field${n}`, n]));
  const crowd = await refusalOf(api, { method: 'POST', url: '/projects', payload: many });
  expect(crowd.errors).toHaveLength(20);
});

test('of a choice between shapes, the faults of the intended shape are listed', async ({ api }) => {
  const deliverable = { title: 'Day', type: 'moment' };
  const steps = [{ title: 'a', instructions: 'b', deliverable }];
  const url = `/projects/${uuidv7()}/plan-templates`;
  const { errors } = await refusalOf(api, { method: 'POST', url, payload: { name: 'a', steps } });
  expect(errors.map(({ path }) => path)).toEqual(['body.steps.0.deliverable.type']);
});

test('no sentence of a library reaches a client', async ({ api }) => {
  const payloads = [
    { name: '' },
    { name: null },
    {},
    { name: 'x'.repeat(201), steps: 'none' },
    { name: 'a', steps: [] },
    { name: 'a', steps: [{ title: '', instructions: 1, deliverable: { type: 1 } }] },
  ];
  for (const payload of payloads) {
    const url = `/projects/${uuidv7()}/plan-templates`;
    const { detail, errors } = await refusalOf(api, { method: 'POST', url, payload });
    for (const sentence of [detail, ...errors.map(({ message }) => message)]) {
      expect(sentence).not.toMatch(/expected|received|Invalid|>=|<=/);
    }
  }
  const empty = { method: 'POST', url: '/projects', payload: { name: '' } };
  const { detail, errors } = await refusalOf(api, empty);
  expect(detail).toBe('body.name: a text of at least 1 character is needed.');
  expect(errors[0]?.message).toBe('a text of at least 1 character is needed');
});

test('a value of none of many names is refused with all of them', async ({ api }) => {
  const { detail } = await refusalOf(api, { url: `/projects/${uuidv7()}/audit?action=none` });
  for (const action of AuditAction.options) expect(detail).toContain(action);
  expect(detail).toMatch(/ is needed\.$/);
});

test('the detail stays short for a field with a name of any length', async ({ api }) => {
  const payload = { name: 'a', ['x'.repeat(100_000)]: 1 };
  const { detail } = await refusalOf(api, { method: 'POST', url: '/projects', payload });
  expect(detail.length).toBeLessThan(500);
});

async function refusalOf(
  api: TestApi,
  request: object,
): Promise<{ detail: string; errors: { path: string; message: string }[] }> {
  const authorization = `Bearer ${api.app.jwt.sign({ sub: uuidv7() })}`;
  const answer = await api.app.inject({ ...request, headers: { authorization } });
  expect(answer.statusCode).toBe(400);
  return answer.json();
}
