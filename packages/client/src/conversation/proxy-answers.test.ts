import { expect, test } from 'vitest';
import { makeConversation, openConversation } from '../../testing/conversations.ts';
import { refusal } from '../../testing/fake-service.ts';

/** What a proxy answers without asking the API, for example while it reloads its routes. */
const notFound = refusal(404, 'http_404');

test('an open conversation waits out what a proxy answers without the API, and gets what was stored meanwhile', async () => {
  await using made = await openConversation();
  const { api, room, conversation, connection, shown } = made;
  await expect.poll(connection).toBe('live');
  api.faults.set('all', notFound);
  room.close('SERVER_SHUTDOWN');
  api.wake();
  await expect.poll(() => api.asked).toContain('get');
  const joins = api.count('createToken');
  await expect.poll(() => api.count('createToken')).toBeGreaterThan(joins);
  await expect.poll(connection).toBe('offline');
  api.append();
  api.faults.clear();
  await expect.poll(connection).toBe('live');
  expect(shown()).toEqual(['row 1: complete']);
  expect(conversation.timeline.getSnapshot().error).toBeNull();
});

test('a message waits as sending while a proxy answers without the API', async () => {
  await using made = makeConversation(undefined, { hasRoom: false });
  const { api, conversation, connection, shown } = made;
  await conversation.open();
  await expect.poll(connection).toBe('live');
  api.faults.set('all', notFound);
  const said = conversation.say('Hello');
  await expect.poll(connection).toBe('offline');
  expect(shown()).toEqual(['Hello: sending']);
  api.faults.clear();
  await said;
  await expect.poll(shown).toEqual(['Hello: complete']);
});

test('a message that a proxy refuses although the API can be reached has failed', async () => {
  await using made = makeConversation(undefined, { hasRoom: false, timing: { verdictMs: 1 } });
  const { api, conversation, connection, shown } = made;
  await conversation.open();
  api.faults.set('say', refusal(413, 'http_413'));
  await conversation.say('Hello');
  await expect.poll(shown).toEqual(['Hello: failed']);
  expect([api.count('say'), connection()]).toEqual([1, 'live']);
});

test.each([
  [404, 'http_404'],
  [401, 'http_401'],
])('%i of a proxy at the beginning is thrown', async (status, code) => {
  await using made = makeConversation((api) => api.faults.set('all', refusal(status, code)));
  await expect(made.conversation.open()).rejects.toMatchObject({ code });
});

test('a proxy that refuses the first token ends the conversation with its answer', async () => {
  await using made = makeConversation((api) =>
    api.faults.set('createToken', refusal(403, 'http_403')),
  );
  await made.conversation.open().catch(() => {});
  await expect.poll(() => made.conversation.timeline.getSnapshot().error?.code).toBe('http_403');
});

test('a conversation ends when a proxy no longer lets its user in', async () => {
  await using made = await openConversation();
  made.api.faults.set('all', refusal(401, 'http_401'));
  made.api.wake();
  await expect.poll(() => made.conversation.timeline.getSnapshot().error?.code).toBe('http_401');
});
