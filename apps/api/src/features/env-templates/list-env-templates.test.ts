import { expect } from 'vitest';
import { envTemplateTest as test, VARIABLES } from '../../../testing/env-templates.ts';

test('200 with the newest first, a page at a time, and no template of another project', async ({
  api,
  ana,
  templates,
}) => {
  const other = await api.createProject(ana);
  const elsewhere = `/projects/${other}/env-templates`;
  const payload = { name: 'keys', variables: VARIABLES };
  await api.inject(ana, { method: 'POST', url: elsewhere, payload });
  const ids: string[] = [];
  for (const name of ['one', 'two', 'three']) {
    ids.unshift((await templates.create({ name, variables: VARIABLES })).json().id);
  }
  const read = async (query: string) => {
    const { items, nextCursor } = (
      await api.inject(ana, { url: `${templates.url}${query}` })
    ).json();
    return [items.map(({ id }: { id: string }) => id), nextCursor];
  };
  expect(await read('')).toEqual([ids, null]);
  expect(await read('?limit=2')).toEqual([ids.slice(0, 2), ids[1]]);
  expect(await read(`?limit=2&cursor=${ids[1]}`)).toEqual([ids.slice(2), null]);
});
