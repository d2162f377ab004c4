import { randomUUID } from 'node:crypto';
import {
  encodePacket,
  messageIdOf,
  type RoomEvent,
  type UserTextPacket,
} from '@session/contract/room';
import { expect, test } from 'vitest';
import { UserTexts } from './user-texts.ts';

const SESSION = randomUUID();
const ANN = { identity: 'user-ann', name: 'Ann', sid: 'PA_1', kind: 'standard' };

function packet(data: string, part: Partial<UserTextPacket> = {}, sender: typeof ANN | null = ANN) {
  const payload = encodePacket({ type: 'user_text', data, ...part });
  return { type: 'packet', payload, sender, receivedAt: Date.now() } as const satisfies RoomEvent;
}

/** Returns a packet that the API sends again to an agent that has just joined. */
function resent(data: string, id: string = randomUUID()) {
  return packet(data, { id, resent: true }, null);
}

function chat(text: string, streamId: string): RoomEvent {
  const stream = { topic: 'lk.chat', streamId, attributes: {}, hasEnded: true, sentAt: null };
  return { type: 'text_stream', text, ...stream, sender: ANN, receivedAt: Date.now() };
}

test('a text without an id that is sent again is taken once: again only if people wrote it twice', () => {
  const texts = new UserTexts(SESSION);
  const take = (event: RoomEvent) => texts.take(event)?.content;
  expect(take(packet('yes'))).toBe('yes');
  expect(take(chat('no', 'stream-1'))).toBe('no');
  // The agent had heard the second "yes" and the "no".
  expect([take(resent('yes')), take(resent('yes')), take(resent('no'))]).toEqual([
    undefined,
    'yes',
    undefined,
  ]);
});

test('a text with an id is known by it, whatever its content, and its copy without the mark is another text', () => {
  const texts = new UserTexts(SESSION);
  const take = (event: RoomEvent) => texts.take(event)?.content;
  const [first, second] = [randomUUID(), randomUUID()];
  expect(take(packet('yes', { id: first }))).toBe('yes');
  expect(take(chat('yes', second))).toBe('yes');
  expect([take(resent('yes', first)), take(resent('yes', second)), take(resent('yes'))]).toEqual([
    undefined,
    undefined,
    'yes',
  ]);
  expect(take(packet('no'))).toBe('no');
  // The mark has no effect in a packet of a person.
  expect(take(packet('no', { resent: true }))).toBe('no');
  expect(take(packet('no', { id: randomUUID() }, null))).toBe('no');
});

test('spoken words that the API sends again are taken once, and not if the stored conversation has them', () => {
  const [known, missed] = [randomUUID(), randomUUID()];
  const derived = messageIdOf(SESSION, 'transcript', 'SG_1', 'agent-x');
  const texts = new UserTexts(SESSION, [
    { id: known, identity: ANN.identity, content: 'Hello' },
    { id: derived, identity: ANN.identity, content: 'My key' },
  ]);
  const take = (data: string, id: string) => {
    const event = packet(data, { id, missed: true, resent: true });
    return texts.take({ ...event, isSigned: true })?.content;
  };
  expect([take('Hello', known), take('My key', derived)]).toEqual([undefined, undefined]);
  expect([take('A price', missed), take('A price', missed)]).toEqual(['A price', undefined]);
});

test('neither the texts of agents nor half of a text are taken', () => {
  const texts = new UserTexts(SESSION);
  const half = { ...chat('I wa', 'stream-1'), hasEnded: false };
  expect(texts.take(half)).toBeUndefined();
  const agent = { identity: 'agent-echo-1', name: 'Echo', sid: 'PA_2', kind: 'agent' };
  expect(texts.take(packet('yes', {}, agent))).toBeUndefined();
});
