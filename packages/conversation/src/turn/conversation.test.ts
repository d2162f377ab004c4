import { describe, expect, test } from 'vitest';
import { openConversation, PERSONA, readTurn } from '../../testing/read-turn.ts';
import {
  begin,
  calls,
  fails,
  finish,
  type Reply,
  says,
  send,
  sendWords,
  startScriptedModel,
} from '../../testing/scripted-model.ts';

const { signal: never } = new AbortController();

/** Returns the messages of a request, in short: role and content. */
function sent(
  model: { requests: readonly { body: Readonly<Record<string, unknown>> }[] },
  index: number,
) {
  return JSON.stringify(model.requests[index]?.body['messages']);
}

/** Says something and calls a tool, in one answer. */
const saysAndCalls: Reply = (response) => {
  begin(response);
  sendWords(response, 'Noted.');
  const called = { name: 'set_deliverable', arguments: '{"deliverable":"customer","value":"J"}' };
  send(response, { choices: [{ delta: { tool_calls: [{ index: 0, function: called }] } }] });
  finish(response, 'tool_calls');
};

test('a conversation begins with its state and the plan', async () => {
  await using model = await startScriptedModel(says('x'));
  await using talk = openConversation(model);
  expect(talk.conversation.begin().map(({ message }) => message)).toEqual([
    'I am ready.',
    '0 of 3 steps done',
    'Now: Your name',
  ]);
});

describe('a turn', () => {
  test('answers, and tells what it took without a word of it', async () => {
    await using model = await startScriptedModel(says('Good', ' morning.'));
    await using talk = openConversation(model);
    const turn = await talk.say('Hello');
    expect(turn).toEqual({
      text: 'Good morning.',
      events: [],
      notices: [],
      order: ['text', 'answered', 'end'],
      record: {
        outcome: 'complete',
        firstWordMs: expect.any(Number),
        durationMs: expect.any(Number),
        modelCalls: 1,
        promptTokens: 100,
        completionTokens: 10,
      },
    });
    await talk.say('And you?');
    expect(sent(model, 1)).toContain('Good morning.');
  });

  test('sends the events of a tool before the model learns of its result', async () => {
    await using model = await startScriptedModel(
      calls(
        ['complete_step', { step: 'name' }],
        ['set_deliverable', { deliverable: 'customer', value: 'John Smith' }],
      ),
      says('Thank you, John.'),
    );
    await using talk = openConversation(model);
    const turn = await talk.say('John Smith');
    expect(turn.order).toEqual(['event', 'text', 'answered', 'end']);
    expect(turn.events.map(({ message }) => message)).toEqual([
      'Customer: John Smith',
      '1 of 3 steps done',
      'Now: The room',
    ]);
    expect(model.requests[1]?.body['messages']).toMatchObject([
      { role: 'system', content: expect.stringContaining('id: room.kind') },
      { role: 'user', content: expect.stringContaining('John Smith') },
      { role: 'assistant', tool_calls: [{ id: 'call-0' }, { id: 'call-1' }] },
      { role: 'tool', tool_call_id: 'call-0', content: 'name is done.' },
      { role: 'tool', tool_call_id: 'call-1', content: 'customer is set.' },
    ]);
    const enums = JSON.stringify(model.requests[1]?.body['tools']);
    expect(enums).toContain('"enum":["room.kind"]');
  });

  test('of several texts at once is one, with names as soon as there are two', async () => {
    await using model = await startScriptedModel(says('Hello both.'));
    await using talk = openConversation(model);
    const texts = [
      { text: 'Hi', speaker: 'Ann' },
      { text: 'Me too', speaker: 'Bob' },
    ];
    await readTurn(talk.conversation.answer(texts, never));
    expect(model.requests).toHaveLength(1);
    expect(sent(model, 0)).toContain('Ann: Hi\\n\\nBob: Me too');
  });
});

test('what is said to other agents and by them while a turn runs stands after its answer, which is cut to what was heard', async () => {
  await using model = await startScriptedModel(says('One ', 'two.'), says('Ok.'));
  await using talk = openConversation(model);
  const { conversation } = talk;
  for await (const output of conversation.answer([{ text: 'Count' }], never)) {
    if (output.type !== 'answered') continue;
    conversation.overhear({ text: 'Zed, who are you?' });
    conversation.overhearAnswer('I am Zed.');
  }
  conversation.cutAnswer('One');
  await talk.say('And?');
  expect(model.requests[1]?.body['messages']).toMatchObject([
    {},
    { content: 'Count' },
    { content: 'One …' },
    { content: 'Zed, who are you?' },
    { content: 'I am Zed.' },
    { content: 'And?' },
  ]);
});

test('an interruption cuts only the answer of the agent that goes on, not that of the earlier agent', async () => {
  await using model = await startScriptedModel(says('A room costs 90 euros a night.'), says('Ok.'));
  const earlier = [
    { kind: 'user', text: 'What is it?' },
    { kind: 'answer', text: 'I hand you over to Sales.', isInterrupted: false },
    { kind: 'note', text: '[You are Sales.]' },
  ] as const;
  await using talk = openConversation(model, { plan: undefined, history: earlier });
  await readTurn(talk.conversation.answer([], never));
  talk.conversation.cutAnswer('A room costs 90 euros a ');
  await talk.say('So much?');
  const texts = [...earlier.map(({ text }) => text), 'A room costs 90 euros a …', 'So much?'];
  expect(model.requests[1]?.body['messages']).toMatchObject([
    {},
    ...texts.map((content) => ({ content })),
  ]);
});

describe('weak models', () => {
  const wrong = calls(['set_deliverable', { deliverable: 'nobody', value: 'x' }]);

  test('get the fault back as a sentence, and may repair it twice; then they must answer', async () => {
    await using model = await startScriptedModel(wrong, wrong, wrong, says('Sorry.'));
    await using talk = openConversation(model);
    const turn = await talk.say('John');
    expect(turn).toMatchObject({ text: 'Sorry.', events: [], record: { modelCalls: 4 } });
    expect(sent(model, 1)).toContain('deliverable must be one of: customer, room.');
    const hasTools = model.requests.map(({ body }) => Object.hasOwn(body, 'tools'));
    expect(hasTools).toEqual([true, true, true, false]);
  });

  test('that copy a speaker’s label into a value store the value alone', async () => {
    const labelled = { deliverable: 'customer', value: 'Curl (2): hello' };
    await using model = await startScriptedModel(
      says('Hello.'),
      calls(['set_deliverable', labelled]),
      says('Thanks.'),
    );
    await using talk = openConversation(model);
    const { signal } = new AbortController();
    const say = async (identity: string, text: string) =>
      await readTurn(talk.conversation.answer([{ text, speaker: 'Curl', identity }], signal));
    await say('user-one-a', 'Hi');
    const { events } = await say('user-two-a', 'hello');
    expect(events).toMatchObject([{ deliverable: { id: 'customer', value: 'hello' } }]);
  });

  test('make at most four rounds of tools a turn', async () => {
    let version = 0;
    const reply: Reply = (response, request) => {
      version += 1;
      const args = { deliverable: 'customer', value: `John ${version}` };
      const answer = Object.hasOwn(request.body, 'tools')
        ? calls(['set_deliverable', args])
        : says('Enough.');
      return answer(response, request);
    };
    await using model = await startScriptedModel(reply);
    await using talk = openConversation(model);
    const turn = await talk.say('John');
    expect(turn).toMatchObject({ text: 'Enough.', record: { modelCalls: 5 } });
    expect(turn.events).toHaveLength(4);
  });

  test.each([
    ['an unknown tool', 'search', '{}', 'The tool must be one of'],
    [
      'arguments that are no JSON',
      'set_deliverable',
      '{"deliverable": cust',
      'deliverable must be one of',
    ],
    ['arguments that are no object', 'complete_step', '["name"]', 'step must be one of: name'],
    [
      'another step than the current one',
      'complete_step',
      '{"step":"farewell"}',
      'step must be one of: name',
    ],
  ])('%s is repaired', async (_, name, json, sentence) => {
    const call: Reply = (response) => {
      begin(response);
      const tool_calls = [{ index: 0, id: 'c', function: { name, arguments: json } }];
      send(response, { choices: [{ delta: { tool_calls } }] });
      finish(response, 'tool_calls');
    };
    await using model = await startScriptedModel(call, says('Hm.'));
    await using talk = openConversation(model);
    expect(await talk.say('Hello')).toMatchObject({ text: 'Hm.', events: [] });
    expect(sent(model, 1)).toContain(sentence);
  });

  test('arguments in a string of JSON are read', async () => {
    const args = JSON.stringify({ deliverable: 'customer', value: 'John' });
    await using model = await startScriptedModel(calls(['set_deliverable', args]), says('Ok.'));
    await using talk = openConversation(model);
    expect((await talk.say('John')).events).toMatchObject([{ message: 'Customer: John' }]);
  });

  test('words before a tool call and after it are one text', async () => {
    await using model = await startScriptedModel(saysAndCalls, says('Done.'));
    await using talk = openConversation(model);
    expect((await talk.say('J')).text).toBe('Noted. Done.');
  });

  test('an answer that is complete before the tool call may end in nothing', async () => {
    await using model = await startScriptedModel(saysAndCalls, says(''));
    await using talk = openConversation(model);
    expect(await talk.say('J')).toMatchObject({ text: 'Noted.', record: { outcome: 'complete' } });
  });

  test('a model that only calls tools has no answer, and the room gets a notice', async () => {
    await using model = await startScriptedModel(says('{"name":"complete_step","arguments":{}}'));
    await using talk = openConversation(model);
    const turn = await talk.say('Hello');
    expect(turn).toMatchObject({ text: '', record: { outcome: 'failed', reason: 'model_faulty' } });
    expect(turn.notices).toEqual(['I cannot answer right now. Please try again in a moment.']);
  });
});

describe('a greeting', () => {
  test('is the template’s', async () => {
    await using model = await startScriptedModel(says('x'));
    const persona = { ...PERSONA, greeting: 'Welcome!' };
    await using talk = openConversation(model, { settings: { model: model.settings, persona } });
    const turn = await readTurn(talk.conversation.greet(never));
    expect(turn).toMatchObject({ text: 'Welcome!', order: ['text', 'answered', 'end'] });
    expect(model.requests).toEqual([]);
    await talk.say('Hi');
    expect(sent(model, 0)).toContain('"assistant","content":"Welcome!"');
  });

  test('`off` waits for the user', async () => {
    await using model = await startScriptedModel(says('x'));
    const persona = { ...PERSONA, greeting: 'off' };
    await using talk = openConversation(model, { settings: { model: model.settings, persona } });
    expect((await readTurn(talk.conversation.greet(never))).order).toEqual(['end']);
  });

  test('is the model’s, which is asked for it', async () => {
    await using model = await startScriptedModel(says('Hi, who are you?'));
    await using talk = openConversation(model);
    expect((await readTurn(talk.conversation.greet(never))).text).toBe('Hi, who are you?');
    expect(sent(model, 0)).toContain('Nobody has spoken yet.');
  });

  test('is a fixed sentence when the model fails', async () => {
    await using model = await startScriptedModel(fails(401));
    await using talk = openConversation(model);
    const turn = await readTurn(talk.conversation.greet(never));
    expect([turn.text, turn.notices]).toEqual(['Hello! How can I help you?', []]);
    expect(turn.events).toMatchObject([{ state: 'degraded', reason: 'model_refused' }]);
  });
});

test('a silent user is asked once more', async () => {
  await using model = await startScriptedModel(says('Are you still there?'));
  await using talk = openConversation(model);
  expect((await readTurn(talk.conversation.nudge(never))).text).toBe('Are you still there?');
  expect(sent(model, 0)).toContain('The user is silent.');
});

test('without a plan there are no tools', async () => {
  await using model = await startScriptedModel(says('Hello.'));
  await using talk = openConversation(model, { plan: undefined });
  expect(talk.conversation.begin()).toMatchObject([{ state: 'ready' }]);
  expect((await talk.say('Hi')).text).toBe('Hello.');
  expect(model.requests[0]?.body).not.toHaveProperty('tools');
  expect(talk.conversation.planState).toBeUndefined();
});
