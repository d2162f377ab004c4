import { fillMessages } from '@session/testing/browser';
import { expect, test } from 'vitest';
import { openConversation } from '../../testing/conversations.ts';
import { newPerson } from '../../testing/person.ts';
import { startRealApi } from '../../testing/real-api.ts';
import { type Conversation, createClient } from '../index.ts';

const COUNT = 100_000;

/** Returns the numbers of the messages in the detached part, or in the live end if there is no detached part. */
function numbersIn({ timeline }: Conversation): number[] {
  const { items } = timeline.getDetachedSnapshot() ?? timeline.getSnapshot();
  return items.map(({ content }) => Number(/^Message (\d+)\./.exec(content)?.[1] ?? COUNT + 1));
}

test('any moment of 100,000 stored messages takes at most five requests, and is shown without a hole', {
  // A busy machine stores them in half a minute.
  timeout: 90_000,
}, async () => {
  await using api = await startRealApi();
  const { url: baseUrl, databaseUrl } = api;
  const { token } = await newPerson(api, 'Ada');
  const asked: string[] = [];
  const client = createClient({
    baseUrl,
    token,
    fetch: async (input, init) => {
      // Requests that wait for new messages are not counted, because the live end makes them all the time.
      if (typeof input === 'string' && !/wait=|stream/.test(input)) asked.push(input);
      return await fetch(input, init);
    },
  });
  const { id: projectId } = await client.projects.create({ name: 'First' });
  const { id } = await client.sessions.create(projectId, { name: 'Long' });
  await fillMessages(databaseUrl, id, COUNT);
  const [last] = (await client.messages.list(id, { limit: 1 })).items;
  // The minute before it has no message.
  await client.messages.say(id, { content: 'Now' });
  await using conversation = client.conversation(id);
  await conversation.open();
  const timeOf = (number: number) =>
    new Date(Date.parse(last?.timestamp ?? '') + (number - COUNT) * 1000).toISOString();
  const moments = [-5000, 1, 2, 70.5, 31_415, COUNT / 2, 77_777.25, COUNT - 120, COUNT, COUNT + 20];
  for (const moment of moments) {
    asked.length = 0;
    await conversation.at(timeOf(moment));
    expect([moment, asked.length > 0 && asked.length <= 5]).toEqual([moment, true]);
    const numbers = numbersIn(conversation);
    const expected = Math.min(Math.max(Math.ceil(moment), 1), COUNT + 1);
    expect(numbers).toContain(expected);
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  }
  await conversation.at(timeOf(COUNT / 2));
  const before = numbersIn(conversation);
  asked.length = 0;
  await conversation.detachedNewer();
  await conversation.detachedOlder();
  const numbers = numbersIn(conversation);
  expect(numbers.length).toBeGreaterThan(before.length + 100);
  expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
  expect(asked.length).toBeLessThanOrEqual(5);
});

test('after a restore a client that saw what is gone empties its timeline and loads it again, once', async () => {
  await using made = await openConversation((api) => api.appendMany(5));
  const { api, shown } = made;
  const pages = api.count('list');
  api.history.restore(2);
  api.append();
  const left = ['row 1', 'row 2', 'row 3', 'row 6'].map((row) => `${row}: complete`);
  await expect.poll(shown).toEqual(left);
  expect(api.count('list') - pages).toBe(1);
  api.append();
  await expect.poll(shown).toEqual([...left, 'row 7: complete']);
  expect(api.count('list') - pages).toBe(1);
});
