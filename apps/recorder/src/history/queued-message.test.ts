import { anyCharacter } from '@session/testing/any-character';
import * as fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import type { LostMessages } from '../message-path.ts';
import { isLost, parseQueued, sinceOf, sinceOfAll } from './queued-message.ts';

const sessionId = uuidv7();
const mark: LostMessages = { kind: 'loss', sessionId, receivedAt: 1, until: 2, count: 3 };

test('a message of any content is read back from its line as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), fc.double(), (content, receivedAt) => {
      const at = Number.isFinite(receivedAt) ? receivedAt : 0;
      const message = { ...textMessage(sessionId, content), receivedAt: at };
      const line = JSON.stringify(message);
      expect(line).not.toContain('\n');
      expect(parseQueued(line)).toEqual(JSON.parse(line));
    }),
  );
});

test('a mark of lost messages and the interval of a leader’s message survive the spool', () => {
  const led = { ...textMessage(sessionId, 'hello'), intervalId: uuidv7() };
  const ledMark = { ...mark, led: { receivedAt: 1, until: 2, intervalId: uuidv7() } };
  for (const queued of [mark, ledMark, led])
    expect(parseQueued(JSON.stringify(queued))).toEqual(queued);
});

test('no line throws, whatever the disk made of it, and no other JSON is taken for a message', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      expect(parseQueued(line)).toBeUndefined();
    }),
  );
});

test.each([
  ['a message cut in the middle', JSON.stringify(textMessage(sessionId, 'hello')).slice(0, -9)],
  ['a session id that is none', JSON.stringify(textMessage('session', 'hello'))],
  ['an unknown role', JSON.stringify({ ...textMessage(sessionId, 'x'), role: 'robot' })],
  ['an unknown status', JSON.stringify({ ...textMessage(sessionId, 'x'), status: 'lost' })],
  [
    'a message without a content',
    JSON.stringify({ ...textMessage(sessionId, 'x'), content: undefined }),
  ],
  [
    'a message without metadata',
    JSON.stringify({ ...textMessage(sessionId, 'x'), metadata: null }),
  ],
  ['a time that is a text', JSON.stringify({ ...textMessage(sessionId, 'x'), receivedAt: '1' })],
  ['a mark without a count', JSON.stringify({ ...mark, count: undefined })],
])('%s is no queued message', (_, line) => {
  expect(parseQueued(line)).toBeUndefined();
});

const at = (receivedAt: number) => ({ ...textMessage(sessionId, ''), receivedAt });

test('the oldest word is known wherever its message stands, and none of an empty batch', () => {
  expect(sinceOfAll([at(7), at(3), mark, at(5)])).toBe(1);
  expect(sinceOfAll([at(7), { ...at(9), since: 2 }, at(5)])).toBe(2);
  expect(sinceOfAll([])).toBe(Infinity);
  expect([at(7), { ...at(9), since: 2 }, mark].map(sinceOf)).toEqual([7, 2, 1]);
  expect([mark, at(1)].map(isLost)).toEqual([true, false]);
});
