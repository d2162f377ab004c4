import { expect, test } from 'vitest';
import { longestBlockMs } from '../../../testing/longest-block.ts';
import { crmAt, mcpReply, openServers } from '../../../testing/mcp-server.ts';
import { type Reply, startScriptedModel } from '../../../testing/scripted-model.ts';
import { TOOL_KEY } from '../../../testing/tools.ts';

const LARGE = 500_000;
const LIST = { 'tools/list': { tools: [{ name: 'search', inputSchema: { type: 'object' } }] } };

async function open(replies: Readonly<Record<string, Reply>>) {
  const server = await startScriptedModel(mcpReply({ results: LIST, replies }));
  const log: string[] = [];
  const options = { log: (line: string) => void log.push(line) };
  const box = await openServers([crmAt(server.port, ['search'])], options);
  return {
    log,
    call: async () => await box.toolOf('crm__search')?.send({}),
    async [Symbol.asyncDispose]() {
      await box[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/**
 * Replies with the JSON of a result. In an event stream, a quote in another line must not hide fields from the count.
 */
function replyWith(result: string, type = 'application/json'): Reply {
  return (response, { body }) => {
    const json = `{"jsonrpc":"2.0","id":${String(body['id'])},"result":${result}}`;
    response.writeHead(200, { 'content-type': type });
    response.end(Buffer.from(type === 'application/json' ? json : `: "\ndata: ${json}\n\n`));
  };
}

const fieldsOf = (length: number) =>
  `{${Array.from({ length }, (_, index) => `"${index}":{}`).join(',')}}`;

const toolWith = (length: number) =>
  `{"tools":[{"name":"search","inputSchema":{"type":"object","properties":${fieldsOf(length)}}}]}`;

test.for([
  ['fields', fieldsOf(14_000)],
  ['empty lists', `[${'[],'.repeat(LARGE / 3)}0]`],
  ['beginnings of a secret', `"${`${TOOL_KEY.slice(0, 10)} `.repeat(LARGE / 11)}"`],
])('a result of many %s blocks for less than 100 ms', async ([, json = '']) => {
  const content = json.startsWith('"') ? `{"type":"text","text":${json}}` : '';
  const result = `{"content":[${content}],"structuredContent":{"a":${json}}}`;
  await using crm = await open({ 'tools/call': replyWith(result) });
  const call = async () => {
    expect(await crm.call()).toMatchObject({ state: 'done' });
  };
  expect(await longestBlockMs(call)).toBeLessThan(100);
});

test('a list of tools with 14,000 fields blocks for less than 100 ms', async () => {
  const reply = replyWith(toolWith(14_000));
  const connect = async () => await (await open({ 'tools/list': reply }))[Symbol.asyncDispose]();
  expect(await longestBlockMs(connect)).toBeLessThan(100);
});

test.for(['application/json', 'text/event-stream'])(
  'an answer with more than 15,000 fields (%s) is not read',
  async (type) => {
    await using crm = await open({ 'tools/list': replyWith(toolWith(15_000), type) });
    expect(crm.log).toEqual([
      'listing tools of MCP server crm failed, retrying: the answer is too large',
    ]);
  },
);

test('colons in words are no fields, whatever is escaped before them', async () => {
  const text = JSON.stringify('\\":'.repeat(40_000));
  const result = `{"content":[{"type":"text","text":${text}}]}`;
  await using crm = await open({ 'tools/call': replyWith(result) });
  expect(await crm.call()).toMatchObject({ state: 'done', isCut: true });
});
