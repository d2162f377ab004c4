import { describe, expect, test, vi } from 'vitest';
import { fakeTimers } from '../../testing/fake-timers.ts';
import { openConversation, readTurn } from '../../testing/read-turn.ts';
import {
  begin,
  fails,
  type Reply,
  says,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import { book, findRooms, talkWith } from '../../testing/tools.ts';

const stalls: Reply = (response) => begin(response);

/** Returns the messages of a request, in short: role and content. */
function sent(
  model: { requests: readonly { body: Readonly<Record<string, unknown>> }[] },
  index: number,
) {
  return JSON.stringify(model.requests[index]?.body['messages']);
}

describe('an endpoint that refuses tools', () => {
  const refusesTools = fails(400, { error: { message: 'x does not support tools' } });

  test('is asked for the progress as JSON after each turn of a user', async () => {
    const progress = { deliverables: { customer: ' John ', room: null }, stepDone: true };
    await using model = await startScriptedModel(
      refusesTools,
      says('Welcome, John.'),
      says('```json\n', JSON.stringify(progress), '\n```'),
    );
    await using talk = openConversation(model);
    const turn = await talk.say('John');
    expect(turn.text).toBe('Welcome, John.');
    // The answer ends before the second request begins.
    expect(turn.order).toEqual(['text', 'answered', 'event', 'end']);
    expect(turn.events.map(({ message }) => message)).toEqual([
      'Customer: John',
      '1 of 3 steps done',
      'Now: The room',
    ]);
    expect(model.requests[2]?.body).toMatchObject({ response_format: { type: 'json_object' } });
    expect(model.requests.slice(1).some(({ body }) => Object.hasOwn(body, 'tools'))).toBe(false);
  });

  test('is asked for the progress even if people heard the answer for longer than a turn may take', async () => {
    fakeTimers();
    const progress = { deliverables: { customer: 'John', room: null }, stepDone: true };
    await using model = await startScriptedModel(
      refusesTools,
      says('Welcome, John.'),
      says(JSON.stringify(progress)),
    );
    await using talk = openConversation(model, {}, { turnMs: 100 });
    const { signal } = new AbortController();
    const messages: string[] = [];
    for await (const output of talk.conversation.answer([{ text: 'John' }], signal)) {
      if (output.type === 'answered') vi.advanceTimersByTime(200);
      if (output.type === 'event') messages.push(output.event.message);
    }
    expect(messages).toEqual(['Customer: John', '1 of 3 steps done', 'Now: The room']);
  });

  test('and JSON as well: the conversation goes on, and the room gets one notice', async () => {
    await using model = await startScriptedModel(
      refusesTools,
      says('Welcome.'),
      fails(400, { error: { message: 'response_format is unknown' } }),
      says('I cannot write JSON.'),
      says('Indeed.'),
    );
    await using talk = openConversation(model);
    expect((await talk.say('John')).events).toMatchObject([{ state: 'plan_unsupported' }]);
    expect(await talk.say('Really?')).toMatchObject({ text: 'Indeed.', events: [] });
    expect(model.requests).toHaveLength(5);
  });

  test('a new text during the second request takes nothing back from the answer', async () => {
    await using model = await startScriptedModel(
      refusesTools,
      says('Welcome.'),
      stalls,
      says('Ok.'),
    );
    await using talk = openConversation(model);
    const controller = new AbortController();
    const texts = [{ text: 'John' }];
    const reading = readTurn(talk.conversation.answer(texts, controller.signal));
    await expect.poll(() => model.requests.length).toBe(3);
    controller.abort();
    expect(await reading).toMatchObject({ text: 'Welcome.', record: { outcome: 'complete' } });
    await talk.say('And?');
    expect(sent(model, 3)).toContain('"content":"Welcome."');
  });

  test('of one tool alone keeps the others, and the room learns that one is missing', async () => {
    const error = { message: 'array schema missing items', param: 'tools[0].function.parameters' };
    await using model = await startScriptedModel(fails(400, { error }), says('Welcome.'));
    await using talk = await talkWith(model, [findRooms(model.port), book(model.port)]);
    expect(await talk.say('John')).toMatchObject({
      text: 'Welcome.',
      events: [{ state: 'degraded', reason: 'tools_unavailable' }],
    });
    expect((await talk.say('Really?')).events).toEqual([]);
    expect(model.requests.map(({ body }) => [body['tools']].flat().length)).toEqual([2, 1, 1]);
  });

  test('or only one tool of the plan is asked for the progress as JSON', async () => {
    const error = { message: 'array schema missing items', param: 'tools[0].function.parameters' };
    const progress = { deliverables: { customer: 'John', room: null }, stepDone: true };
    await using model = await startScriptedModel(
      fails(400, { error }),
      says('Welcome.'),
      says(JSON.stringify(progress)),
    );
    await using talk = openConversation(model);
    expect((await talk.say('John')).events.map(({ message }) => message)).toEqual([
      'Customer: John',
      '1 of 3 steps done',
      'Now: The room',
    ]);
    expect(model.requests.map(({ body }) => Object.hasOwn(body, 'tools'))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('a fault in the second request is no fault of the answer', async () => {
    await using model = await startScriptedModel(refusesTools, says('Welcome.'), fails(401));
    await using talk = openConversation(model);
    expect(await talk.say('John')).toMatchObject({
      text: 'Welcome.',
      record: { outcome: 'complete' },
    });
  });
});
