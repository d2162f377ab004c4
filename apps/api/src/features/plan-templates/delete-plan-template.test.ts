import { expect } from 'vitest';
import { planTemplateTest as test } from '../../../testing/plan-templates.ts';

test('204, and it is in no list, and 404 for whatever is asked of it', async ({ plans }) => {
  const [kept, url] = [await plans.create('kept'), await plans.create('gone')];
  const deleted = await plans.ask('DELETE', url);
  expect([deleted.statusCode, deleted.body]).toEqual([204, '']);
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    const answer = await plans.ask(method, url, method === 'PATCH' ? { name: 'late' } : undefined);
    expect([method, answer.statusCode]).toEqual([method, 404]);
  }
  const { items } = (await plans.ask('GET', plans.url)).json();
  expect(items.map(({ id }: { id: string }) => `/plan-templates/${id}`)).toEqual([kept]);
});
