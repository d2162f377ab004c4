import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newPerson } from '../../testing/person.ts';
import { startRealApi } from '../../testing/real-api.ts';
import { createAdminClient } from '../admin.ts';
import type { Message } from '../index.ts';

const FIRST = Date.parse('2026-05-01T12:00:00.000Z');

function lineOf(change: Partial<Message>): string {
  const at = new Date(FIRST).toISOString();
  const message = {
    id: randomUUID(),
    content: 'x',
    role: 'user',
    status: 'complete',
    timestamp: at,
  };
  return `${JSON.stringify({ ...message, metadata: { kind: 'text' }, ...change })}\n`;
}

function shown({ role, content, timestamp, metadata }: Message) {
  const participant: object = Object(metadata?.['participant']);
  const { name, externalId } = { name: '', externalId: '', ...participant };
  return { role, content, timestamp, name, externalId };
}

test('an export is imported as it is, in several requests; what is no text is left out and counted', {
  // A sign-in, a process and 2,000 messages take long on a busy machine.
  timeout: 90_000,
}, async () => {
  await using api = await startRealApi();
  const { client } = await newPerson(api, 'Ada');
  const { id: projectId } = await client.projects.create({ name: 'First' });
  const create = async () => (await client.sessions.create(projectId, { name: 'Talk' })).id;
  const [from, to] = [await create(), await create()];
  const participants = { user: { id: 'customer-7', name: 'Eve' }, assistant: { name: 'Desk' } };
  for (const part of [0, 1]) {
    const messages = Array.from({ length: 600 }, (_, index) => {
      const role = index % 2 === 0 ? ('user' as const) : ('assistant' as const);
      const timestamp = new Date(FIRST + (part * 600 + index) * 1000).toISOString();
      const content = `${part} ${index}`;
      return { id: content, role, content, timestamp, participant: participants[role] };
    });
    await client.messages.import(from, { messages });
  }
  await client.messages.say(from, { content: 'now' });
  const left = [
    lineOf({ metadata: { kind: 'recording_gap' }, role: 'system' }),
    lineOf({ content: '', metadata: { kind: 'text', erased: {} } }),
    lineOf({ status: 'pending' }),
  ];
  const exported = await Array.fromAsync(client.messages.export(from, { session: true }));
  const file = [...exported, ...left];
  const counts = { imported: 1201, unchanged: 0, skipped: 3 };
  expect(await client.messages.importFile(to, file)).toEqual(counts);
  const again = { imported: 0, unchanged: 1201, skipped: 3 };
  expect(await client.messages.importFile(to, file.join(''))).toEqual(again);
  const read = async (id: string) => {
    const list = client.messages.list(id, { order: 'asc' });
    return (await list.toArray({ limit: 2000 })).map(shown);
  };
  const messages = await read(to);
  expect(messages).toHaveLength(1201);
  expect(messages).toEqual(await read(from));
});

const neverSends = () => Promise.reject(new Error('nothing is sent'));

test.for([
  [
    'half a message',
    lineOf({}).slice(0, 20),
    'Line 3 is not a message of an export: it is not JSON',
  ],
  ['another object', '{"role":"user"}', 'Line 3 is not a message of an export: it has no id'],
  ['no object', 'null', 'Line 3 is not a message of an export: it has no id'],
] as const)(
  'a file with %s is refused by its line, before anything is sent',
  async ([, line, message]) => {
    const client = createAdminClient({
      baseUrl: 'http://127.0.0.1:9',
      token: 'none',
      fetch: neverSends,
    });
    const file = [lineOf({}), '\n', line];
    const imported = client.messages.importFile(randomUUID(), file);
    await expect(imported).rejects.toThrow(new TypeError(message));
  },
);
