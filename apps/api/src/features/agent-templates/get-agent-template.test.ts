import { expect } from 'vitest';
import { agentTemplateTest as test } from '../../../testing/agent-templates.ts';

test('200 for a MEMBER with all fields, and 404 for a stranger', async ({
  api,
  templates,
  projectId,
}) => {
  const url = await templates.create();
  const [member, stranger] = [await api.createKey(projectId), await api.createUser('eve')];
  const found = await api.inject(member, { url });
  expect([found.statusCode, found.headers.etag]).toEqual([200, '"1"']);
  expect(found.json()).toEqual((await templates.ask('GET', url)).json());
  expect((await api.inject(stranger, { url })).statusCode).toBe(404);
});
