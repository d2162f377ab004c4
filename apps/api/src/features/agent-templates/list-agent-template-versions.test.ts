import { expect } from 'vitest';
import { agentTemplateTest as test } from '../../../testing/agent-templates.ts';

test('200 with the newest first, without texts, page by page', async ({ ana, templates }) => {
  const url = await templates.create();
  for (const name of ['second', 'third']) await templates.ask('PATCH', url, { name });
  const page = (await templates.ask('GET', `${url}/versions?limit=2`)).json();
  const row = { role: 'light-agent', createdBy: ana.id, createdAt: expect.any(String) };
  expect(page).toEqual({
    items: [
      { ...row, version: 3, name: 'third' },
      { ...row, version: 2, name: 'second' },
    ],
    nextCursor: '2',
  });
  const next = await templates.ask('GET', `${url}/versions?cursor=${page.nextCursor}`);
  expect(next.json()).toEqual({
    items: [{ ...row, version: 1, name: 'Front desk' }],
    nextCursor: null,
  });
});
