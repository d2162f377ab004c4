import { expect, test } from 'vitest';
import { crmAt, openServers, startMcpServer } from '../../../testing/mcp-server.ts';

const words = (text: string) => ({ content: [{ type: 'text' as const, text }] });

test('a call goes on when the list of tools cannot be read again, and its session ends after it', async () => {
  let now = 0;
  const held = Promise.withResolvers<void>();
  const added: { readonly update: (changes: { readonly description: string }) => void }[] = [];
  await using crm = await startMcpServer((server) => {
    const add = server.registerTool('add', {}, async () => {
      await held.promise;
      return words('Added.');
    });
    added.push(add);
  });
  const count = (method: string) => crm.methods.filter((one) => one === method).length;
  const log: string[] = [];
  const options = { clock: () => now, retryMs: 1, log: (line: string) => void log.push(line) };
  await using box = await openServers([crmAt(crm.port, ['add'])], options);
  const call = box.toolOf('crm__add')?.send({});
  await expect.poll(() => count('tools/call')).toBe(1);
  // Beyond what is read of a list.
  added[0]?.update({ description: 'd'.repeat(300_000) });
  now = 60_000;
  box.refresh();
  // The next session has the tool as it was.
  await expect.poll(() => [count('initialize'), box.definitions.length]).toEqual([2, 1]);
  expect(log).toEqual(['MCP server crm is unavailable: the answer is too large']);
  expect(count('DELETE')).toBe(0);
  held.resolve();
  expect(await call).toMatchObject({ state: 'done', text: 'Added.' });
  await expect.poll(() => count('DELETE')).toBe(1);
});
