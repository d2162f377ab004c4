import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { planTemplateTest as test } from '../../../testing/plan-templates.ts';

test('200 with the newest first, a page at a time', async ({ plans }) => {
  const urls: string[] = [];
  for (const name of ['one', 'two', 'three']) urls.unshift(await plans.create(name));
  const ids = urls.map((url) => url.split('/').at(-1));
  const read = async (query: string) => {
    const { items, nextCursor } = (await plans.ask('GET', `${plans.url}${query}`)).json();
    return [items.map(({ id }: { id: string }) => id), nextCursor];
  };
  expect(await read('')).toEqual([ids, null]);
  expect(await read('?limit=1')).toEqual([ids.slice(0, 1), ids[0]]);
  expect(await read(`?limit=2&cursor=${ids[0]}`)).toEqual([ids.slice(1), null]);
});

test('404 for a project of others as for none', async ({ api, plans }) => {
  const eve = await api.createUser('eve');
  for (const url of [plans.url, `/projects/${uuidv7()}/plan-templates`]) {
    expect((await api.inject(eve, { url })).statusCode).toBe(404);
  }
});
