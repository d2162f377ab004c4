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
