import { describe, expect, test, vi } from 'vitest';
import { fakeTimers } from '../../testing/fake-timers.ts';
import { openConversation } from '../../testing/read-turn.ts';
import {
  calls,
  cutCall,
  fails,
  type Reply,
  type ScriptedModel,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import {
  book,
  DAY,
  findRooms,
  messagesOf,
  openToolBox,
  TOOL_KEY,
  talkWith,
  toolVariables,
} from '../../testing/tools.ts';

const rooms: Reply = fails(200, '{"rooms":2}');

const toolNames = ({ requests }: ScriptedModel, index: number) =>
  JSON.stringify(requests.at(index)?.body['tools'] ?? []).match(/"name":"\w+"/g) ?? [];

const late: Reply = (response) => {
  vi.advanceTimersByTime(1500);
  response.end('late');
};

describe('a call', () => {
  test('brings its result to the model and two facts to the room: what was asked, what came', async () => {
    await using server = await startScriptedModel(rooms);
    await using model = await startScriptedModel(calls(['find_rooms', DAY]), says('Two are free.'));
    await using talk = await talkWith(model, [findRooms(server.port, { say: 'I look that up.' })]);
    const turn = await talk.say('Is there a room?');
    expect(turn.text).toBe('I look that up.\nTwo are free.');
    expect(turn.order).toEqual(['text', 'event', 'text', 'answered', 'end']);
    expect(turn.events).toEqual([
      expect.objectContaining({
        type: 'tool_call',
        tool: 'find_rooms',
        source: 'http',
        state: 'done',
        status: 200,
        arguments: DAY,
        result: '{"rooms":2}',
        truncated: false,
        message: expect.stringMatching(/^find_rooms: done in \d+\.\d s$/),
      }),
    ]);
    expect(toolNames(model, 0)).toEqual(['"name":"find_rooms"']);
    expect(messagesOf(model, -1)).toContain(String.raw`"content":"{\"rooms\":2}"`);
  });

  test('comes after those of the plan, whatever their order', async () => {
    await using server = await startScriptedModel(rooms);
    await using model = await startScriptedModel(
      calls(['find_rooms', DAY], ['set_deliverable', { deliverable: 'customer', value: 'Ada' }]),
      says('Two are free, Ada.'),
    );
    const box = await openToolBox(toolVariables(findRooms(server.port)));
    await using talk = openConversation(model, { tools: box });
    const { events } = await talk.say('Ada. Is there a room?');
    expect(events.map(({ type }) => type)).toEqual(['plan_deliverable_update', 'tool_call']);
    expect(events[1]).toMatchObject({ step: 'name' });
    expect(toolNames(model, 0)).toContain('"name":"set_deliverable"');
  });

  test('that may have effects is reported before it is sent', async () => {
    const order: string[] = [];
    await using server = await startScriptedModel((response) => {
      order.push('sent');
      response.end('{}');
    });
    await using model = await startScriptedModel(calls(['book', DAY]), says('Booked.'));
    await using talk = await talkWith(model, [book(server.port)]);
    for await (const output of talk.conversation.answer(
      [{ text: 'Book' }],
      new AbortController().signal,
    )) {
      if (output.type === 'event' && output.event.type === 'tool_call')
        order.push(output.event.state);
    }
    expect(order).toEqual(['started', 'sent', 'done']);
  });

  test.for<[string, unknown, string]>([
    ['find_rooms', {}, 'day is missing.'],
    ['find_rooms', { day: 7 }, 'day must be a string.'],
    ['find_rooms', { ...DAY, guests: 1.5 }, 'guests must be a whole number.'],
    ['find_rooms', { ...DAY, wing: 'b' }, 'wing is not a parameter.'],
    ['find_rooms', [DAY], 'The arguments must be a JSON object.'],
    ['find_rooms', { day: 'x'.repeat(9000) }, 'The arguments must have at most 8192 bytes.'],
    ['drop_rooms', DAY, 'There is no tool drop_rooms.'],
  ])('%s with %j is refused with one sentence', async ([name, args, sentence]) => {
    await using server = await startScriptedModel(rooms);
    await using model = await startScriptedModel(calls([name, args]), says('Sorry.'));
    await using talk = await talkWith(model, [findRooms(server.port)]);
    expect((await talk.say('Is there a room?')).events).toEqual([]);
    expect(messagesOf(model, -1)).toContain(sentence);
    expect(server.requests).toEqual([]);
  });

  test.for<[string, number]>([
    ['{"guests": 2, "da', 0],
    ['guests=2', 0],
    [String.raw`"{\"guests\": 2"`, 0],
    [' ', 1],
  ])(
    'with the arguments “%s” makes %i requests: only blank ones are none',
    async ([json, count]) => {
      await using server = await startScriptedModel(rooms);
      await using model = await startScriptedModel(cutCall('find_rooms', json), says('Sorry.'));
      const parameters = { type: 'object', properties: { guests: { type: 'integer' } } } as const;
      const request = { method: 'DELETE', url: `http://127.0.0.1:${server.port}/rooms` } as const;
      await using talk = await talkWith(model, [findRooms(server.port, { parameters, request })]);
      await talk.say('Cancel the room for two.');
      expect(server.requests).toHaveLength(count);
      const isRefused = messagesOf(model, -1).includes('The arguments must be a JSON object.');
      expect(isRefused).toBe(count === 0);
    },
  );

  test('without a record in the history stores neither arguments nor result', async () => {
    await using server = await startScriptedModel(rooms);
    await using model = await startScriptedModel(calls(['find_rooms', DAY]), says('Two.'));
    await using talk = await talkWith(model, [findRooms(server.port, { record: 'outcome' })]);
    const [event] = (await talk.say('Is there a room?')).events;
    expect(event).toMatchObject({ state: 'done', status: 200 });
    expect(event).not.toHaveProperty('arguments');
    expect(event).not.toHaveProperty('result');
  });

  test('shows its secret to no prompt and no event', async () => {
    await using server = await startScriptedModel(
      fails(500, `bad key ${TOOL_KEY} ${JSON.stringify(TOOL_KEY)}`),
    );
    await using model = await startScriptedModel(calls(['find_rooms', DAY]), says('Sorry.'));
    const headers = { 'x-key': '{{env.HOTEL_KEY}}' };
    await using talk = await talkWith(model, [findRooms(server.port, { request: { headers } })]);
    const turn = await talk.say('Is there a room?');
    expect(server.requests[0]?.headers['x-key']).toBe(TOOL_KEY);
    expect(messagesOf(model, -1)).toContain('HTTP 500: bad key ••••');
    expect(JSON.stringify([turn, model.requests])).not.toContain('s3cret');
  });

  test('takes no time of the turn', async () => {
    fakeTimers();
    await using server = await startScriptedModel(late);
    await using model = await startScriptedModel(calls(['find_rooms', DAY]), says('Two.'));
    const box = await openToolBox(toolVariables(findRooms(server.port)));
    await using talk = openConversation(model, { plan: undefined, tools: box }, { turnMs: 1000 });
    expect((await talk.say('Is there a room?')).record?.outcome).toBe('complete');
  });
});

describe('limits', () => {
  test('end a model that calls without end: eight calls of a turn, four rounds', async () => {
    await using server = await startScriptedModel(rooms);
    const three = calls(...[1, 2, 3].map((guests) => ['find_rooms', { ...DAY, guests }] as const));
    await using model = await startScriptedModel(three, three, three, three, says('Enough.'));
    await using talk = await talkWith(model, [findRooms(server.port)]);
    expect((await talk.say('Is there a room?')).text).toBe('Enough.');
    expect(server.requests).toHaveLength(8);
    expect(toolNames(model, -1)).toEqual([]);
    expect(messagesOf(model, -1)).toContain('at most 8 calls in one turn');
  });

  test('switch a tool off for a minute that failed three times in a row, and tell the model', async () => {
    let now = 0;
    await using server = await startScriptedModel(fails(503), fails(503), fails(503), rooms);
    const asks = calls(['find_rooms', DAY]);
    await using model = await startScriptedModel(
      asks,
      asks,
      asks,
      asks,
      says('No.'),
      asks,
      says('Two.'),
    );
    await using talk = await talkWith(model, [findRooms(server.port)], { clock: () => now });
    await talk.say('Is there a room?');
    expect(server.requests).toHaveLength(3);
    expect(messagesOf(model, -1)).toContain('has failed 3 times in a row');
    now += 60_000;
    await talk.say('And now?');
    expect(server.requests).toHaveLength(4);
  });
});

test('a call with effects is made once in a turn, however often the model asks for it', async () => {
  await using server = await startScriptedModel(fails(200, '{"booked":true}'));
  await using model = await startScriptedModel(
    calls(['book', DAY]),
    calls(['book', { ...DAY }]),
    says('Booked.'),
    calls(['book', DAY]),
    says('Booked twice.'),
  );
  await using talk = await talkWith(model, [book(server.port)]);
  expect((await talk.say('Book')).text).toBe('Booked.');
  expect(messagesOf(model, -1)).toContain('this turn has made the same call already');
  expect(server.requests).toHaveLength(1);
  await talk.say('Once more, please.');
  expect(server.requests).toHaveLength(2);
});

test('a call of an agent that was killed is not made again before the user knows of it', async () => {
  await using server = await startScriptedModel(fails(200, '{"booked":true}'));
  await using model = await startScriptedModel(
    calls(['book', DAY]),
    calls(['book', { ...DAY }]),
    says('It may be booked already. Shall I try again?'),
    calls(['book', DAY]),
    says('Booked.'),
  );
  const call = {
    at: '2026-12-01T09:00:00.000Z',
    tool: 'book',
    state: 'started',
    arguments: DAY,
  } as const;
  await using talk = await talkWith(model, [book(server.port)], { earlierCalls: [call] });
  await talk.say('Is it booked?');
  expect(server.requests).toEqual([]);
  expect(messagesOf(model, -1)).toContain('may have been carried out');
  await talk.say('Yes, again.');
  expect(server.requests).toHaveLength(1);
});

test('a model without tools is offered none, and the room gets one notice', async () => {
  const refusesTools = fails(400, { error: { message: 'x does not support tools' } });
  await using model = await startScriptedModel(refusesTools, says('Hello.'));
  await using talk = await talkWith(model, [findRooms(1)]);
  const { events } = await talk.say('Hi');
  expect(events).toEqual([expect.objectContaining({ state: 'tools_unsupported' })]);
  expect((await talk.say('Hi')).events).toEqual([]);
  expect(toolNames(model, -1)).toEqual([]);
});
