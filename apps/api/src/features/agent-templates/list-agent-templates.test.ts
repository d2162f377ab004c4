import { expect } from 'vitest';
import { agentTemplateTest as test } from '../../../testing/agent-templates.ts';

test('200 with the newest first, without texts, page by page', async ({ templates }) => {
  await templates.create({ name: 'First' });
  await templates.create({
    name: 'Second',
    tools: [],
    mcpServers: [{ name: 'crm', url: 'https://crm.example/mcp', tools: [{ name: 'search' }] }],
  });
  const page = (await templates.ask('GET', `${templates.url}?limit=1`)).json();
  expect(page.items).toEqual([
    {
      id: expect.any(String),
      projectId: expect.any(String),
      name: 'Second',
      role: 'light-agent',
      version: 1,
      toolNames: [],
      mcpServerNames: ['crm'],
      createdBy: expect.any(String),
      createdAt: expect.any(String),
      updatedBy: expect.any(String),
      updatedAt: expect.any(String),
    },
  ]);
  const next = await templates.ask('GET', `${templates.url}?cursor=${page.nextCursor}`);
  expect(next.json()).toMatchObject({
    items: [{ name: 'First', toolNames: ['find_rooms'], mcpServerNames: [] }],
    nextCursor: null,
  });
});
