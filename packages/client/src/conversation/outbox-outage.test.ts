import { afterEach, expect, test, vi } from 'vitest';
import { makeConversation, openConversation, VERDICT_MS } from '../../testing/conversations.ts';
import { refusal } from '../../testing/fake-service.ts';
import { pause } from '../http/pause.ts';
import { ConnectionError } from '../index.ts';
import type { LatestMessages } from '../shapes.ts';

afterEach(() => void vi.restoreAllMocks().useRealTimers());

test('what is said while the API does not answer waits as sending, and is stored in the order in which it was said', async () => {
  await using made = makeConversation(undefined, { hasRoom: false });
  const { api, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  api.cutOff();
  await expect.poll(connection).toBe('offline');
  for (const text of ['one', 'two', 'three']) await conversation.say(text);
  await passVerdict();
  expect(shown()).toEqual(['one: sending', 'two: sending', 'three: sending']);
  api.faults.clear();
  await expect.poll(shown).toEqual(['one: complete', 'two: complete', 'three: complete']);
  expect(api.history.rows.map(({ content }) => content)).toEqual(['one', 'two', 'three']);
});

test.each([new ConnectionError('no answer'), refusal(503, 'unavailable')])(
  'a message waits as sending for the API that did not take it (%s), though no reader has noticed the outage',
  async (fault) => {
    await using made = await openConversation();
    const { api, conversation, connection, shown } = made;
    await expect.poll(connection).toBe('live');
    await expect.poll(() => api.waits.at(-1)).toBeGreaterThan(0);
    for (const method of ['say', 'latest']) api.faults.set(method, fault);
    await conversation.say('Hello');
    await expect.poll(connection).toBe('offline');
    await passVerdict();
    expect(shown()).toEqual(['Hello: sending']);
    api.faults.clear();
    await expect.poll(shown).toEqual(['Hello: complete']);
  },
);

test('a message waits although the reader of the history rests after a stream that broke', async () => {
  const rests = [1];
  await using made = makeConversation((fake) => Object.assign(fake, { hasStreams: true }), {
    timing: { streamMs: 3_600_000 },
    random: () => rests.pop() ?? 0,
  });
  const { api, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  await expect.poll(() => api.asked.at(-1)).toBe('arrivals');
  api.cutOff('arrived');
  await expect.poll(() => rests).toEqual([]);
  const { latest } = api.messages;
  const attempt = Promise.withResolvers<never>();
  Object.assign(api.messages, { latest: () => attempt.promise });
  api.cutOff('say');
  await conversation.say('Hello');
  await expect.poll(connection).toBe('offline');
  await passVerdict();
  expect(shown()).toEqual(['Hello: sending']);
  api.faults.clear();
  Object.assign(api.messages, { latest });
  attempt.reject(new ConnectionError('no answer'));
  await expect.poll(shown).toEqual(['Hello: complete']);
});

test('an answer to a request from before the failed one does not tell that the API is back', async () => {
  await using made = await openConversation();
  const { api, conversation, connection, shown } = made;
  await expect.poll(connection).toBe('live');
  await expect.poll(() => api.waits.at(-1)).toBeGreaterThan(0);
  const { latest } = api.messages;
  const attempts: PromiseWithResolvers<LatestMessages>[] = [];
  const hang = async () => {
    const attempt = Promise.withResolvers<LatestMessages>();
    attempts.push(attempt);
    return await attempt.promise;
  };
  Object.assign(api.messages, { latest: hang });
  conversation.refresh();
  await expect.poll(() => attempts).toHaveLength(1);
  api.cutOff('say');
  await conversation.say('Hello');
  await expect.poll(connection).toBe('offline');
  attempts[0]?.resolve(api.history.latest('2100', 1));
  await expect.poll(() => attempts).toHaveLength(2);
  await passVerdict();
  expect(shown()).toEqual(['Hello: sending']);
  api.faults.clear();
  Object.assign(api.messages, { latest });
  attempts[1]?.reject(new ConnectionError('no answer'));
  await expect.poll(shown).toEqual(['Hello: complete']);
});

test('a message that cannot be sent before the conversation is open has failed', async () => {
  await using made = makeConversation((api) => api.cutOff('say'), { hasRoom: false });
  await made.conversation.say('Hello');
  await expect.poll(made.shown).toEqual(['Hello: failed']);
});

test.each([
  ['slow: each message waits until the one before is stored', 2000, 2],
  ['dead: all messages together wait once for its answer', 60_000, 3],
])('closing while the API is %s', async (_, answerMs, posts) => {
  const { api, conversation } = makeConversation(undefined, { hasRoom: false, resendMs: 3000 });
  await conversation.open();
  vi.useFakeTimers();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(fakeTimeout);
  Object.defineProperty(api, 'storing', { get: () => pause(answerMs) });
  const texts = ['one', 'two', 'three'];
  for (const text of texts) await conversation.say(text);
  const closed = conversation.close();
  await vi.advanceTimersByTimeAsync(3500);
  expect(api.count('say')).toBe(posts);
  await vi.advanceTimersByTimeAsync(120_000);
  await closed;
  expect(api.history.rows.map(({ content }) => content)).toEqual(texts);
});

test('closing while nothing reaches the API waits for one attempt, not for one of each message', async () => {
  await using made = makeConversation(undefined, { hasRoom: false });
  const { api, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  api.cutOff('say');
  api.cutOff('latest');
  for (const text of ['one', 'two', 'three']) await conversation.say(text);
  await expect.poll(connection).toBe('offline');
  expect(api.count('say')).toBe(1);
  await conversation.close();
  expect(api.count('say')).toBe(2);
  expect(shown()).toEqual(['one: failed', 'two: failed', 'three: failed']);
});

test('closing sends what was said after a message that the API took, but could not announce', async () => {
  const { api, conversation, connection } = makeConversation(undefined, { hasRoom: false });
  await conversation.open();
  await expect.poll(connection).toBe('live');
  const storing = Promise.withResolvers<void>();
  Object.assign(api, { storing: storing.promise });
  const { say } = api.messages;
  const announce: typeof say = async (sessionId, body, options) => {
    const row = await say(sessionId, body, options);
    if (body.content === 'one') throw refusal(503, 'media_unavailable');
    return row;
  };
  Object.assign(api.messages, { say: announce });
  const texts = ['one', 'two', 'three'];
  for (const text of texts) await conversation.say(text);
  await expect.poll(() => api.count('say')).toBe(1);
  const closed = conversation.close();
  storing.resolve();
  await closed;
  expect(api.history.rows.map(({ content }) => content)).toEqual(texts);
});

/** Replaces `AbortSignal.timeout`, which does not follow the fake clock. */
function fakeTimeout(ms: number): AbortSignal {
  const limit = new AbortController();
  setTimeout(() => limit.abort(), ms);
  return limit.signal;
}

/** Waits until a message that is no longer waited for would be `failed`. */
async function passVerdict(): Promise<void> {
  const began = performance.now();
  await expect.poll(() => performance.now() - began).toBeGreaterThan(2 * VERDICT_MS);
}
