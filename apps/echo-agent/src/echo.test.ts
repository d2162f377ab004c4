import { randomUUID } from 'node:crypto';
import type { Participant, RoomEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import { Echo } from './echo.ts';

type PacketEvent = Extract<RoomEvent, { type: 'packet' }>;
type TextStreamEvent = Extract<RoomEvent, { type: 'text_stream' }>;

const ann = { identity: 'user-ann', name: 'Ann', sid: 'PA_1', kind: 'standard' };
const agent = { identity: 'agent-echo-agent-1', name: 'echo-agent', sid: 'PA_2', kind: 'agent' };

test('a text is answered once, however often it arrives with the same id', async () => {
  const { hear, answers } = open();
  const id = randomUUID();
  await hear(packet({ type: 'user_text', data: 'one', id }));
  await hear(packet({ type: 'user_text', data: 'one', id: id.toUpperCase() }));
  await hear(packet({ type: 'user_text', data: 'two', id: 'message 2' }));
  await hear(packet({ type: 'user_text', data: 'two', id: 'message 2' }));
  await hear(chat('three', 'stream-1'));
  await hear(chat('three', 'stream-1'));
  expect(answers).toEqual(['You said: one', 'You said: two', 'You said: three']);
});

test('one id of two senders is answered twice, and what the API sends again without a sender is not', async () => {
  const { hear, answers } = open();
  const id = randomUUID();
  const ben = { ...ann, identity: 'user-ben' };
  await hear(packet({ type: 'user_text', data: 'mine', id }, ann));
  await hear(packet({ type: 'user_text', data: 'no, mine', id }, ben));
  await hear(packet({ type: 'user_text', data: 'mine', id }, null));
  await hear(packet({ type: 'user_text', data: 'no, mine', id }, null));
  await hear(packet({ type: 'user_text', data: 'other words', id }, ben));
  expect(answers).toEqual(['You said: mine', 'You said: no, mine']);
});

test('texts without an id are each answered, in order of arrival', async () => {
  const { hear, answers } = open();
  for (const data of ['same', 'same', 'other']) void hear(packet({ type: 'user_text', data }));
  await hear(packet({ type: 'user_text', data: 'last' }));
  expect(answers.map((answer) => answer.slice(10))).toEqual(['same', 'same', 'other', 'last']);
});

test('a sender who is not announced yet is answered', async () => {
  const { hear, answers } = open();
  await hear(packet({ type: 'user_text', data: 'early' }, null));
  expect(answers).toEqual(['You said: early']);
});

test.each<[string, RoomEvent]>([
  ['the packet of an agent', packet({ type: 'user_text', data: 'x' }, agent)],
  ['the typed text of an agent', chat('x', 's1', agent)],
  ['the speech of an agent', transcript('You said: x', agent)],
  ['the speech of a person', transcript('x', ann)],
  [
    'a packet that is not JSON',
    { ...packet({}), payload: Buffer.from('{"type": "user_text", "data"') },
  ],
  ['other JSON', { ...packet({}), payload: Buffer.from('[null, "user_text"]') }],
  ['data that is not a text', packet({ type: 'user_text', data: { text: 'x' } })],
  ['an empty text', packet({ type: 'user_text', data: '' })],
  ['a packet of another type', packet({ type: 'state_change_notification', message: 'x' })],
  ['a text stream that broke off', { ...chat('x', 's1'), hasEnded: false }],
])('no answer to %s', async (_, event) => {
  const { hear, answers } = open();
  await hear(event);
  expect(answers).toEqual([]);
});

test('a text whose answer failed is answered when it is sent again', async () => {
  const { hear, answers, connection } = open();
  const event = packet({ type: 'user_text', data: 'one', id: randomUUID() });
  connection.isGone = true;
  await hear(event);
  connection.isGone = false;
  await hear(event);
  expect(answers).toEqual(['You said: one']);
});

test('the memory of ids is bounded: the oldest id is forgotten', async () => {
  const { hear, answers } = open();
  const say = async (number: number) =>
    await hear(packet({ type: 'user_text', data: `${number}`, id: `${number}` }));
  for (let number = 0; number <= 1000; number += 1) await say(number);
  await say(1000);
  await say(0);
  expect(answers.slice(1001)).toEqual(['You said: 0']);
});

test('the text of a message is not in the log', async () => {
  const { hear, log } = open();
  await hear(packet({ type: 'user_text', data: 'hunter2', id: 'm1' }));
  expect(log).toHaveLength(1);
  expect(log.join()).not.toContain('hunter2');
});

function open() {
  const answers: string[] = [];
  const log: string[] = [];
  const echo = new Echo(randomUUID(), (line) => void log.push(line));
  const connection = { isGone: false };
  const sender = {
    async sendText(_: string, text: string) {
      if (connection.isGone) throw new Error('the connection is gone');
      answers.push(text);
    },
  };
  const hear = async (event: RoomEvent) => {
    echo.receive(event, sender);
    await echo.finish();
  };
  return { hear, answers, connection, log };
}

function packet(content: object, sender: Participant | null = ann): PacketEvent {
  const payload = Buffer.from(JSON.stringify(content));
  return { type: 'packet', payload, sender, receivedAt: 1 };
}

function chat(text: string, streamId: string, sender: Participant = ann): TextStreamEvent {
  return stream('lk.chat', text, { streamId, sender });
}

function transcript(text: string, sender: Participant): RoomEvent {
  return stream('lk.transcription', text, { streamId: 's1', sender });
}

function stream(
  topic: string,
  text: string,
  rest: { streamId: string; sender: Participant },
): TextStreamEvent {
  const attributes = { 'lk.transcription_final': 'true' };
  const times = { sentAt: 1, receivedAt: 1, hasEnded: true };
  return { type: 'text_stream', topic, text, attributes, ...times, ...rest };
}
