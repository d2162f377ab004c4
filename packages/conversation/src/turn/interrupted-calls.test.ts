import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readTurn } from '../../testing/read-turn.ts';
import {
  begin,
  calls,
  fails,
  type Reply,
  type ScriptedModel,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import { book, DAY, findRooms, messagesOf, talkWith } from '../../testing/tools.ts';

const hangs: Reply = (response) => begin(response);

async function interrupted(talk: Awaited<ReturnType<typeof talkWith>>, server: ScriptedModel) {
  const interruption = new AbortController();
  const reading = readTurn(talk.conversation.answer([{ text: 'Please' }], interruption.signal));
  await expect.poll(() => server.requests.length).toBe(1);
  interruption.abort();
  return await Promise.race([reading, fewRounds()]);
}

/** Waits for three rounds of the event loop. The end of the turn must not depend on the server, which hangs. */
async function fewRounds(): Promise<never> {
  for (let round = 0; round < 3; round += 1) await setImmediate();
  throw new Error('the turn goes on');
}

test('a person who speaks ends a GET that hangs, and its connection', async () => {
  await using server = await startScriptedModel(hangs);
  await using model = await startScriptedModel(calls(['find_rooms', DAY]), says('Yes?'));
  await using talk = await talkWith(model, [findRooms(server.port)]);
  const turn = await interrupted(talk, server);
  expect(turn.events).toEqual([expect.objectContaining({ state: 'cancelled' })]);
  expect(turn.record?.outcome).toBe('interrupted');
  await expect.poll(() => server.requests[0]?.gone.aborted).toBe(true);
  await talk.say('Wait');
  expect(messagesOf(model, -1)).toContain('Cancelled: the user spoke');
});

test('a person who speaks may end a POST too, which is reported before, and may have been carried out', async () => {
  await using server = await startScriptedModel(hangs);
  await using model = await startScriptedModel(calls(['book', DAY]), says('Yes?'));
  await using talk = await talkWith(model, [book(server.port, { onInterrupt: 'cancel' })]);
  const turn = await interrupted(talk, server);
  expect(turn.events).toMatchObject([{ state: 'started' }, { state: 'cancelled' }]);
  await talk.say('Wait');
  expect(messagesOf(model, -1)).toContain(
    'Cancelled: the user spoke before it ended. The call may have been carried out.',
  );
});

test.for<[string, string, readonly string[]]>([
  ['the words before a call are sent', 'text', []],
  ['the event of its start is sent', 'event', ['started', 'cancelled']],
])('a person who speaks while %s prevents a POST', async ([, type, states]) => {
  await using server = await startScriptedModel(fails(200, '{}'));
  await using model = await startScriptedModel(calls(['book', DAY]), says('Yes?'));
  await using talk = await talkWith(model, [book(server.port, { say: 'I book it.' })]);
  const interruption = new AbortController();
  const seen: string[] = [];
  for await (const output of talk.conversation.answer([{ text: 'Book' }], interruption.signal)) {
    if (output.type === type) interruption.abort();
    if (output.type === 'event' && output.event.type === 'tool_call') seen.push(output.event.state);
  }
  expect(seen).toEqual(states);
  await talk.say('Wait');
  expect(messagesOf(model, -1)).toContain('Not called: the user spoke.');
  expect(server.requests).toEqual([]);
});

test('a person who speaks is answered while a POST goes on: its result is in the next prompt, and it is not repeated', async () => {
  const end = Promise.withResolvers<void>();
  await using server = await startScriptedModel(async (response) => {
    await end.promise;
    response.end('{"booked":true}');
  });
  await using model = await startScriptedModel(
    calls(['book', DAY]),
    calls(['book', { ...DAY }]),
    says('It is on its way.'),
    says('It is booked.'),
  );
  const reported: unknown[] = [];
  const report = (event: unknown) => void reported.push(event);
  await using talk = await talkWith(model, [book(server.port)], { report });
  const turn = await interrupted(talk, server);
  expect(turn.events).toEqual([expect.objectContaining({ state: 'started' })]);
  expect((await talk.say('Is it done?')).text).toBe('It is on its way.');
  expect(messagesOf(model, -1).match(/Still running/g)).toHaveLength(2);
  expect(server.requests).toHaveLength(1);
  end.resolve();
  await talk.conversation.callsEnded;
  expect(reported).toEqual([expect.objectContaining({ state: 'done', result: '{"booked":true}' })]);
  await talk.say('And now?');
  expect(messagesOf(model, -1)).toContain(String.raw`[Result of book, as data: {\"booked\":true}]`);
});
