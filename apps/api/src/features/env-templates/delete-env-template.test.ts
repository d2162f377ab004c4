import { expect } from 'vitest';
import { codeOf, envTemplateTest as test, VARIABLES } from '../../../testing/env-templates.ts';

test('204, and 404 from then on', async ({ api, ana, templates }) => {
  const { id } = (await templates.create({ name: 'keys', variables: VARIABLES })).json();
  const deleted = await api.inject(ana, { method: 'DELETE', url: `/env-templates/${id}` });
  expect([deleted.statusCode, deleted.body]).toEqual([204, '']);
  expect(codeOf(await templates.find(id))).toBe('404 not_found');
});

test('another template may take its name and be the default', async ({ api, ana, templates }) => {
  const given = { name: 'keys', variables: VARIABLES, isDefault: true };
  const { id } = (await templates.create(given)).json();
  await api.inject(ana, { method: 'DELETE', url: `/env-templates/${id}` });
  const created = await templates.create(given);
  expect([created.statusCode, created.json()]).toMatchObject([201, { isDefault: true }]);
});
