import { expect, test, vi } from 'vitest';
import { fakeTimers } from '../../testing/fake-timers.ts';
import { readFrom } from '../../testing/read-answer.ts';
import { openConversation } from '../../testing/read-turn.ts';
import {
  begin,
  fails,
  finish,
  PLANTED_KEY,
  type Reply,
  type ScriptedModel,
  says,
  sendWords,
  startScriptedModel,
} from '../../testing/scripted-model.ts';
import { openModel } from '../rehearsal/open-model.ts';
import { FallbackModel } from './fallback-model.ts';
import { ModelClient } from './model-client.ts';

const OTHER_KEY = 'sk-other-secret-5678';
const stalls: Reply = (response) => begin(response);
const stallsForAMinute: Reply = (response) => {
  begin(response);
  vi.advanceTimersByTime(60_000);
};
const breaksOff: Reply = (response) => {
  begin(response);
  sendWords(response, 'Good');
  response.end('data: nonsense\n\n');
};

/** Opens both models as an agent does; retries do not wait. */
async function openBoth(first: ScriptedModel, second: ScriptedModel) {
  const fallback = {
    ...second.settings,
    prefix: 'LLM_FALLBACK' as const,
    apiKey: OTHER_KEY,
    model: 'other',
  };
  return await openModel({ ...first.settings, firstTokenMs: 60_000, fallback }, { pauseScale: 0 });
}

test.each<[string, Reply]>([
  ['401', fails(401)],
  ['429', fails(429, {}, { 'retry-after': '20' })],
  ['503', fails(503)],
  ['a stalled stream', stallsForAMinute],
  ['an empty answer', says('')],
  ['nonsense', fails(200, 'nonsense')],
])('%s: the second model answers after one request to the first one', async (_, reply) => {
  fakeTimers();
  await using first = await startScriptedModel(reply);
  await using second = await startScriptedModel(says('Hello.'));
  await using model = await openBoth(first, second);
  expect(await readFrom(model.client)).toMatchObject({ text: 'Hello.', failure: undefined });
  expect(first.requests).toHaveLength(1);
  expect(second.requests[0]?.body).toMatchObject({ model: 'other' });
  expect(second.requests[0]?.headers.authorization).toBe(`Bearer ${OTHER_KEY}`);
});

test('nothing listens at the first address: the second model answers', async () => {
  await using gone = await startScriptedModel();
  await using second = await startScriptedModel(says('Hello.'));
  const { settings } = gone;
  await gone[Symbol.asyncDispose]();
  await using model = await openBoth({ ...gone, settings }, second);
  expect(await readFrom(model.client)).toMatchObject({ text: 'Hello.', failure: undefined });
});

test('an answer that breaks off after words is not begun again', async () => {
  await using first = await startScriptedModel(breaksOff);
  await using second = await startScriptedModel(says('Hello.'));
  await using model = await openBoth(first, second);
  expect(await readFrom(model.client)).toMatchObject({
    text: 'Good',
    failure: { kind: 'faulty' },
  });
  expect(second.requests).toEqual([]);
});

test('a request that is too long is shortened for the first model', async () => {
  const tooLong = { error: { code: 'context_length_exceeded', message: 'too long' } };
  await using first = await startScriptedModel(fails(400, tooLong));
  await using second = await startScriptedModel(says('Hello.'));
  await using model = await openBoth(first, second);
  expect((await readFrom(model.client)).failure?.kind).toBe('too_long');
  expect(second.requests).toEqual([]);
});

test('the second model answers for a minute, and then the first one is asked again', async () => {
  await using first = await startScriptedModel(fails(503), says('First.'));
  await using second = await startScriptedModel(says('Second.'));
  using one = new ModelClient(first.settings, { mayRetry: false });
  using other = new ModelClient(second.settings);
  let now = 0;
  const model = new FallbackModel(one, other, () => now);
  const texts = [];
  for (now of [0, 1, 59_999, 60_000, 60_001]) {
    texts.push((await readFrom(model)).text);
    expect(model.isFallback).toBe(texts.at(-1) === 'Second.');
  }
  expect(texts).toEqual(['Second.', 'Second.', 'Second.', 'First.', 'First.']);
});

test('an answer of the second model that ends after the minute is still its own', async () => {
  await using first = await startScriptedModel(fails(503));
  await using second = await startScriptedModel(says('Second.'));
  using one = new ModelClient(first.settings, { mayRetry: false });
  using other = new ModelClient(second.settings);
  let now = 0;
  const model = new FallbackModel(one, other, () => now);
  await readFrom(model);
  now = 60_000;
  expect(model.isFallback).toBe(true);
});

test('once the second model fails too, the first one is asked again', async () => {
  await using first = await startScriptedModel(fails(503), says('First.'));
  await using second = await startScriptedModel(fails(429));
  await using model = await openBoth(first, second);
  expect((await readFrom(model.client)).failure).toMatchObject({ kind: 'busy' });
  expect(await readFrom(model.client)).toMatchObject({ text: 'First.', failure: undefined });
});

test.for([
  [503, 401, 'unreachable'],
  [503, 400, 'unreachable'],
  [401, 401, 'refused'],
] as const)(
  'after the first model’s %i, the second one’s %i counts as %s',
  async ([firstStatus, secondStatus, kind]) => {
    await using first = await startScriptedModel(fails(firstStatus));
    await using second = await startScriptedModel(says('Second.'), fails(secondStatus));
    await using model = await openBoth(first, second);
    expect((await readFrom(model.client)).text).toBe('Second.');
    expect((await readFrom(model.client)).failure?.kind).toBe(kind);
    expect((await readFrom(model.client)).failure?.kind).toBe(kind);
  },
);

test('a person who speaks ends the request, and neither model is blamed', async () => {
  await using first = await startScriptedModel(stalls, says('First.'));
  await using second = await startScriptedModel(says('Second.'));
  await using model = await openBoth(first, second);
  const speaking = new AbortController();
  const reading = readFrom(model.client, {}, speaking.signal);
  await expect.poll(() => first.requests.length).toBe(1);
  speaking.abort(new Error('interrupted'));
  expect((await reading).failure).toMatchObject({ message: 'interrupted' });
  expect((await readFrom(model.client)).text).toBe('First.');
  expect(second.requests).toEqual([]);
});

test('the room is told once that the fallback model answers, and once that the first one is back', async () => {
  await using first = await startScriptedModel(fails(503), says('c'));
  await using second = await startScriptedModel(
    says('a'),
    (response) => {
      begin(response);
      sendWords(response, 'b');
      finish(response);
    },
    fails(401),
  );
  await using model = await openBoth(first, second);
  await using talk = openConversation(first, { model: model.client });
  const turns = [];
  for (const text of ['1', '2', '3', '4']) turns.push(await talk.say(text));
  expect(turns.map(({ text }) => text)).toEqual(['a', 'b', '', 'c']);
  expect(turns.map(({ events }) => events)).toMatchObject([
    [{ state: 'degraded', reason: 'model_fallback' }],
    [],
    [{ state: 'degraded', reason: 'model_unreachable' }],
    [{ state: 'recovered' }],
  ]);
  expect(JSON.stringify(turns)).not.toContain(PLANTED_KEY);
  expect(JSON.stringify(turns)).not.toContain(OTHER_KEY);
});
