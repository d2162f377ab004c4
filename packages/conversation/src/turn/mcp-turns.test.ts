import { expect, test } from 'vitest';
import { crmAt, openServers, startMcpServer } from '../../testing/mcp-server.ts';
import { openConversation, readTurn } from '../../testing/read-turn.ts';
import { calls, cutCall, fails, says, startScriptedModel } from '../../testing/scripted-model.ts';
import { messagesOf } from '../../testing/tools.ts';

const words = (text: string) => ({ content: [{ type: 'text' as const, text }] });

const statesOf = (events: readonly object[]) =>
  events.map((event) => `${Object(event).state} ${Object(event).reason ?? ''}`.trim());

test('a person who speaks is answered while a call that may have effects goes on, and is not repeated', async () => {
  const end = Promise.withResolvers<void>();
  let bookings = 0;
  await using crm = await startMcpServer((server) => {
    server.registerTool('book', {}, async () => {
      bookings += 1;
      await end.promise;
      return words('Booked.');
    });
  });
  await using model = await startScriptedModel(
    calls(['crm__book', {}]),
    calls(['crm__book', {}]),
    says('It is on its way.'),
    says('It is booked.'),
  );
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  const tools = await openServers([crmAt(crm.port, ['book'])]);
  await using talk = openConversation(model, { plan: undefined, tools, report });
  const person = new AbortController();
  const turn = readTurn(talk.conversation.answer([{ text: 'Book' }], person.signal));
  await expect.poll(() => bookings).toBe(1);
  person.abort();
  expect((await turn).events).toMatchObject([{ state: 'started', source: 'mcp' }]);
  expect((await talk.say('Is it done?')).text).toBe('It is on its way.');
  end.resolve();
  await talk.conversation.callsEnded;
  expect(reported).toMatchObject([{ state: 'done', result: 'Booked.', tool: 'crm__book' }]);
  await talk.say('And now?');
  expect(messagesOf(model, -1)).toContain('[Result of crm__book, as data: Booked.]');
  expect(bookings).toBe(1);
});

test('a call whose arguments are cut reaches no server', async () => {
  let bookings = 0;
  await using crm = await startMcpServer((server) => {
    server.registerTool('book', {}, () => {
      bookings += 1;
      return words('Booked.');
    });
  });
  await using model = await startScriptedModel(cutCall('crm__book', '{"da'), says('Sorry.'));
  const tools = await openServers([crmAt(crm.port, ['book'])]);
  await using talk = openConversation(model, { plan: undefined, tools });
  expect((await talk.say('Book')).events).toEqual([]);
  expect(messagesOf(model, -1)).toContain('The arguments must be a JSON object.');
  expect(bookings).toBe(0);
});

test('tools that are away are told once, and once that they are back, beside the faults of the model', async () => {
  await using crm = await startMcpServer((server) => {
    server.registerTool('book', {}, () => words('Booked.'));
  });
  crm.kill();
  await using model = await startScriptedModel(says('Yes?'), fails(401), says('Yes?'));
  const tools = await openServers([crmAt(crm.port, ['book'])], { retryMs: 10 });
  await using talk = openConversation(model, { plan: undefined, tools });
  expect(statesOf(talk.conversation.begin())).toEqual(['ready', 'degraded tools_unavailable']);
  expect(statesOf((await talk.say('Hello?')).events)).toEqual([]);
  expect(statesOf((await talk.say('Hello?')).events)).toEqual(['degraded model_refused']);
  expect(statesOf((await talk.say('Hello?')).events)).toEqual(['degraded tools_unavailable']);
  crm.restart();
  await expect.poll(() => tools.fault).toBeUndefined();
  expect(statesOf((await talk.say('Hello?')).events)).toEqual(['recovered']);
  expect(JSON.stringify(model.requests.at(-1)?.body['tools'])).toContain('crm__book');
});
