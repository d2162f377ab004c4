import { expect, test, vi } from 'vitest';
import {
  crmAt,
  HANDSHAKE,
  mcpReply,
  openServers,
  startMcpServer,
} from '../../../testing/mcp-server.ts';
import { type Reply, startScriptedModel } from '../../../testing/scripted-model.ts';

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
  // More bytes than are read of a list.
  added[0]?.update({ description: 'd'.repeat(300_000) });
  now = 60_000;
  box.refresh();
  // The next session has the tool without this description.
  await expect.poll(() => [count('initialize'), box.definitions.length]).toEqual([2, 1]);
  expect(log).toEqual([
    'listing tools of MCP server crm failed, retrying: the answer is too large',
  ]);
  expect(count('DELETE')).toBe(0);
  held.resolve();
  expect(await call).toMatchObject({ state: 'done', text: 'Added.' });
  await expect.poll(() => count('DELETE')).toBe(1);
});

test.each([
  ['alone', 1],
  ['during another call', 2],
])(
  'a call, %s, that loses the connection while the list is read again goes on with a new one',
  async (_, forgotten) => {
    let now = 0;
    const [held, list] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const counts = new Map<string, number>();
    /** Counts the requests of a method, and answers once `wait` has settled for their number. */
    const answers =
      (result: object, wait: (count: number) => Promise<void> | undefined): Reply =>
      async (response, { body: { id, method } }) => {
        const count = (counts.get(String(method)) ?? 0) + 1;
        counts.set(String(method), count);
        await wait(count);
        const isForgotten = method === 'tools/call' && count === forgotten;
        const headers = {
          'content-type': 'application/json',
          'mcp-session-id': `session-${count}`,
        };
        response.writeHead(isForgotten ? 404 : 200, headers);
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      };
    const tools = [{ name: 'add', inputSchema: { type: 'object' } }];
    const replies = {
      initialize: answers(HANDSHAKE, () => undefined),
      'tools/list': answers({ tools }, (count) => (count === 2 ? list.promise : undefined)),
      'tools/call': answers(words('Added.'), (count) =>
        count < forgotten ? held.promise : undefined,
      ),
    };
    await using server = await startScriptedModel(mcpReply({ replies }));
    await using box = await openServers([crmAt(server.port, ['add'])], { clock: () => now });
    const add = async () => await box.toolOf('crm__add')?.send({});
    const running = forgotten === 1 ? [] : [add()];
    await expect.poll(() => counts.get('tools/call') ?? 0).toBe(running.length);
    now = 60_000;
    box.refresh();
    await expect.poll(() => counts.get('tools/list')).toBe(2);
    const call = add();
    // Without a running call, the request for the list ends with the connection.
    if (running.length > 0) {
      await vi.waitUntil(() => box.definitions.length === 0);
      list.resolve();
    }
    expect(await call).toMatchObject({ state: 'done', text: 'Added.' });
    expect(counts.get('initialize')).toBe(2);
    held.resolve();
    const states = (await Promise.all(running)).map((one) => one?.state);
    expect(states).toEqual(running.map(() => 'done'));
  },
);
