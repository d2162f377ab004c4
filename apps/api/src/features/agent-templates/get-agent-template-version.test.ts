import { expect } from 'vitest';
import { agentTemplateTest as test } from '../../../testing/agent-templates.ts';

test('200 with the version as it was, and 404 for one that there is not', async ({
  api,
  ana,
  templates,
}) => {
  const url = await templates.create();
  const { id, projectId, updatedBy, updatedAt, ...first } = (
    await templates.ask('GET', url)
  ).json();
  await templates.ask('PATCH', url, { name: 'Desk', greeting: null });
  const found = await templates.ask('GET', `${url}/versions/1`);
  expect([id, projectId, updatedBy, updatedAt].every(Boolean)).toBe(true);
  expect(found.json()).toEqual(first);
  expect((await templates.ask('GET', `${url}/versions/2`)).json()).toMatchObject({
    name: 'Desk',
    greeting: null,
    createdBy: ana.id,
  });
  expect((await templates.ask('GET', `${url}/versions/3`)).statusCode).toBe(404);
  expect((await templates.ask('GET', `${url}/versions/x`)).statusCode).toBe(400);
  const stranger = await api.createUser('eve');
  expect((await api.inject(stranger, { url: `${url}/versions/1` })).statusCode).toBe(404);
});
