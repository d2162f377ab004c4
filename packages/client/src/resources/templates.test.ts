import { expect, test } from 'vitest';
import { json, problem, scriptedServer } from '../../testing/scripted-server.ts';

test('a change of one version names it, and throws when the template has another', async () => {
  await using server = await scriptedServer(json({}), json({}), problem(412, 'changed_meanwhile'));
  const { envTemplates, planTemplates } = server.client();
  await planTemplates.change('id', { description: null }, { version: 3 });
  await envTemplates.change('id', { name: 'Production' });
  const late = envTemplates.change('id', { name: 'Production' }, { version: 1 });
  await expect(late).rejects.toMatchObject({ code: 'changed_meanwhile', status: 412 });
  const tags = server.received.map(({ headers }) => headers['if-match']);
  expect(tags).toEqual(['"3"', undefined, '"1"']);
});
