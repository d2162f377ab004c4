import { describe, expect, test, vi } from 'vitest';
import { fakeTimers } from '../../testing/fake-timers.ts';
import { openConversation, readTurn } from '../../testing/read-turn.ts';
import {
  begin,
  fails,
  finish,
  PLANTED_KEY,
  type Reply,
  says,
  send,
  sendWords,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import type { ConversationCoreOptions } from './conversation.ts';

const stalls: Reply = (response) => begin(response);
const stallsAfterWords: Reply = (response) => {
  begin(response);
  sendWords(response, 'Good mor');
};
/** Ends an answer as a filter of the endpoint does. */
const filters =
  (words: string): Reply =>
  (response) => {
    begin(response);
    if (words !== '') sendWords(response, words);
    finish(response, words === '' ? 'content_filter' : 'content_filter: RECITATION');
  };

describe('a model that does not answer is reported in the room', () => {
  test.each<[string, Reply, string, string]>([
    ['401', fails(401), 'model_refused', 'the endpoint answered HTTP 401'],
    ['404', fails(404), 'model_refused', 'the endpoint answered HTTP 404'],
    ['429', fails(429), 'model_busy', 'the endpoint answered HTTP 429'],
    ['503', fails(503), 'model_unreachable', 'the endpoint answered HTTP 503'],
    ['a stalled stream', stalls, 'model_stalled', 'the model stalled: no first token'],
    ['an empty answer', says(''), 'model_faulty', 'the answer is empty'],
    ['a filtered answer', filters(''), 'model_faulty', 'the endpoint filtered the answer'],
    ['nonsense', fails(200, 'nonsense'), 'model_faulty', 'the answer is not a valid stream'],
  ])('%s', async (_, reply, reason, detail) => {
    await using model = await startScriptedModel(reply);
    // Other replies get more time, because a busy process may stall.
    await using talk = openConversation(model, {}, reply === stalls ? { firstTokenMs: 300 } : {});
    const turn = await talk.say('Hello');
    expect(turn.text).toBe('');
    expect(turn.events).toMatchObject([{ state: 'degraded', reason }]);
    expect(turn.notices).toEqual(['I cannot answer right now. Please try again in a moment.']);
    expect(turn.events[0]?.message).toMatch(/^The language model /);
    expect(turn.record).toMatchObject({ outcome: 'failed', reason, detail });
    expect(JSON.stringify(turn)).not.toContain(PLANTED_KEY);
  });

  test('once as a state, and once that it answers again', async () => {
    await using model = await startScriptedModel(
      fails(401),
      fails(403),
      says('Hello.'),
      says('Yes.'),
    );
    await using talk = openConversation(model);
    const turns = [];
    for (const text of ['a', 'b', 'c', 'd']) turns.push(await talk.say(text));
    expect(
      turns.map(({ events }) => events.map((event) => 'state' in event && event.state)),
    ).toEqual([['degraded'], [], ['recovered'], []]);
    expect(turns.map(({ notices }) => notices.length)).toEqual([1, 0, 0, 0]);
    // Unanswered texts are asked again.
    expect(model.requests[2]?.body['messages']).toMatchObject([{}, { content: 'a\n\nb\n\nc' }]);
  });

  test('a busy model is reported once while the agent waits for it', async () => {
    await using model = await startScriptedModel(fails(429), fails(429), says('Hello.'));
    await using talk = openConversation(model);
    const turn = await talk.say('Hello');
    expect(turn.order).toEqual(['event', 'text', 'answered', 'event', 'end']);
    expect(turn.events).toMatchObject([
      { state: 'degraded', reason: 'model_busy' },
      { state: 'recovered' },
    ]);
  });

  test('after three refused turns trying again makes no sense', async () => {
    await using model = await startScriptedModel(fails(401), fails(403), fails(404));
    await using talk = openConversation(model);
    const refused = [];
    for (const text of ['a', 'b', 'c', 'd']) {
      await talk.say(text);
      refused.push(talk.conversation.isRefusedForGood);
    }
    expect(refused).toEqual([false, false, true, true]);
  });

  test.for<[string, Partial<ConversationCoreOptions>]>([
    ['said to it', {}],
    ['said to an earlier process', { history: [{ kind: 'user', text: 'bad zero' }] }],
  ])('a text that a filter refuses ends no agent, and is asked once: %s', async ([, options]) => {
    const error = { code: 'content_filter', param: 'prompt', message: 'The prompt was filtered.' };
    const refuses: Reply = (response, request) => {
      const isBad = JSON.stringify(request.body['messages']).includes('bad');
      return (isBad ? fails(400, { error }) : says('Yes.'))(response, request);
    };
    await using model = await startScriptedModel(refuses);
    await using talk = openConversation(model, options);
    await talk.say('bad one');
    expect((await talk.say('I am Ada')).text).toBe('Yes.');
    for (const text of ['bad two', 'bad three', 'bad four']) await talk.say(text);
    expect(talk.conversation.isRefusedForGood).toBe(false);
    expect((await talk.say('And now?')).text).toBe('Yes.');
    expect(model.requests).toHaveLength(6);
    const prompt = JSON.stringify(model.requests.at(-1)?.body['messages']);
    expect(prompt).toContain('I am Ada');
    expect(prompt).toContain('[left out: the language model refuses to read it]');
  });

  test('an answer in between starts the count again', async () => {
    await using model = await startScriptedModel(
      fails(401),
      fails(401),
      says('Hello.'),
      fails(401),
      fails(401),
    );
    await using talk = openConversation(model);
    for (const text of ['a', 'b', 'c', 'd', 'e']) await talk.say(text);
    expect(talk.conversation.isRefusedForGood).toBe(false);
  });
});

describe('an answer that breaks off', () => {
  test.each<[string, Reply, string]>([
    ['by silence', stallsAfterWords, 'model_stalled'],
    [
      'by its connection',
      (response) => {
        begin(response);
        sendWords(response, 'Good mor');
        setTimeout(() => response.destroy(), 50);
      },
      'model_unreachable',
    ],
    [
      'by an error',
      (response) => {
        begin(response);
        sendWords(response, 'Good mor');
        send(response, { error: {} });
      },
      'model_unreachable',
    ],
    ['by a filter', filters('Good mor'), 'model_faulty'],
  ])('%s: what was said stands, and is never said again', async (_, reply, reason) => {
    await using model = await startScriptedModel(reply, says('Sorry.'));
    await using talk = openConversation(
      model,
      {},
      reply === stallsAfterWords ? { idleMs: 300 } : {},
    );
    const turn = await talk.say('Hello');
    expect(turn).toMatchObject({
      text: 'Good mor',
      notices: ['Sorry, I lost my train of thought.'],
      record: { outcome: 'truncated', reason },
    });
    expect(model.requests).toHaveLength(1);
    await talk.say('Go on');
    expect(JSON.stringify(model.requests[1]?.body)).toContain('Good mor …');
  });

  test('at its largest size is marked, without a failure and without a further sentence', async () => {
    await using model = await startScriptedModel((response) => {
      begin(response);
      sendWords(response, 'One, two, thr');
      finish(response, 'length');
    }, says('Four.'));
    await using talk = openConversation(model);
    const turn = await talk.say('Count');
    expect(turn).toMatchObject({
      text: 'One, two, thr',
      notices: [],
      record: { outcome: 'truncated' },
    });
    expect(turn.record).not.toHaveProperty('reason');
    await talk.say('Go on');
    expect(JSON.stringify(model.requests[1]?.body)).toContain('One, two, thr …');
  });

  test('a turn takes LLM_TURN_MS at most, whatever its requests do', async () => {
    fakeTimers();
    await using model = await startScriptedModel((response, { gone }) => {
      begin(response);
      const timer = setInterval(() => sendWords(response, 'la '), 20);
      gone.addEventListener('abort', () => clearInterval(timer));
    });
    await using talk = openConversation(model, {}, { turnMs: 1000, maxOutputTokens: 4000 });
    const { signal } = new AbortController();
    const outputs = talk.conversation.answer([{ text: 'Sing' }], signal);
    expect((await outputs.next()).value).toEqual({ type: 'text', text: 'la ' });
    vi.advanceTimersByTime(1000);
    const { record } = await readTurn(outputs);
    expect(record).toMatchObject({ outcome: 'truncated', detail: 'the turn took too long' });
  });

  test('and so does a turn that waits for a busy model', async () => {
    await using model = await startScriptedModel(fails(503, {}, {}));
    await using talk = openConversation(model, {}, { turnMs: 1 });
    const { record } = await talk.say('Hello');
    expect(record).toMatchObject({ outcome: 'failed', reason: 'model_stalled' });
  });
});

describe('an interruption', () => {
  test('aborts the request, keeps what was sent, and both texts are in the next prompt', async () => {
    await using model = await startScriptedModel(stallsAfterWords, says('I see.'));
    await using talk = openConversation(model);
    const controller = new AbortController();
    const outputs = talk.conversation.answer([{ text: 'Hello' }], controller.signal);
    const first = await outputs.next();
    expect(first.value).toEqual({ type: 'text', text: 'Good mor' });
    controller.abort();
    const rest = await readTurn(outputs);
    expect(rest).toMatchObject({
      text: '',
      events: [],
      notices: [],
      record: { outcome: 'interrupted' },
    });
    // Interrupted answers are counted too, by estimate.
    const { promptTokens = 0, completionTokens = 0 } = rest.record ?? {};
    expect([promptTokens > 100, completionTokens > 0]).toEqual([true, true]);
    await expect.poll(() => model.requests[0]?.gone.aborted).toBe(true);
    await talk.say('Wait');
    expect(model.requests[1]?.body['messages']).toMatchObject([
      { role: 'system' },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Good mor …' },
      { role: 'user', content: 'Wait' },
    ]);
  });

  test('before the first word leaves no answer, and no failure', async () => {
    await using model = await startScriptedModel(stalls, says('I see.'));
    await using talk = openConversation(model);
    const controller = new AbortController();
    const reading = readTurn(talk.conversation.answer([{ text: 'Hello' }], controller.signal));
    await expect.poll(() => model.requests.length).toBe(1);
    controller.abort();
    expect((await reading).record).toMatchObject({ outcome: 'interrupted' });
    await talk.say('Wait');
    expect(model.requests[1]?.body['messages']).toMatchObject([{}, { content: 'Hello\n\nWait' }]);
  });

  test('by a reader that leaves is the same', async () => {
    await using model = await startScriptedModel(stallsAfterWords, says('I see.'));
    await using talk = openConversation(model);
    const { signal } = new AbortController();
    for await (const output of talk.conversation.answer([{ text: 'Hello' }], signal)) {
      if (output.type === 'text') break;
    }
    await expect.poll(() => model.requests[0]?.gone.aborted).toBe(true);
    await talk.say('Wait');
    expect(JSON.stringify(model.requests[1]?.body)).toContain('Good mor …');
  });
});

describe('limits', () => {
  test('more than 20 requests in a minute are not sent, and the room gets a notice', async () => {
    await using model = await startScriptedModel(says('Yes.'));
    await using talk = openConversation(model);
    for (let turn = 0; turn < 20; turn += 1) await talk.say(String(turn));
    expect(await talk.say('more')).toMatchObject({
      events: [{ state: 'degraded', reason: 'too_fast' }],
      record: { outcome: 'failed', reason: 'too_fast', modelCalls: 0 },
    });
    expect(model.requests).toHaveLength(20);
  });

  test('a budget of tokens that is used up is reported, even when the endpoint counts none', async () => {
    await using model = await startScriptedModel((response) => {
      begin(response);
      sendWords(response, 'Yes.');
      response.end('data: [DONE]\n\n');
    });
    await using talk = openConversation(model, {}, { budgetTokens: 1000 });
    const first = await talk.say('Hello');
    expect([first.notices, talk.conversation.isBudgetSpent]).toEqual([[], false]);
    const second = await talk.say('x'.repeat(3000));
    expect(second.notices).toEqual(['Our time is over. Goodbye.']);
    expect(talk.conversation.isBudgetSpent).toBe(true);
  });
});
