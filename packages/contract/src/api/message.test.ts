import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { accepts, faultsIn, messagesAbout, NOT_STRINGS } from '../../testing/shapes.ts';
import { anyText } from '../../testing/texts.ts';
import { encodePacket, MAX_PACKET_BYTES } from '../room/wire.ts';
import { Message, NewMessage, Since } from './message.ts';

const MAX_CONTENT_BYTES = 32_000;

test.each(['x', 'é', '€', '👋'])(
  'a message of %j may have 32,000 bytes of UTF-8, and not one more',
  (character) => {
    const content = character.repeat(Math.floor(MAX_CONTENT_BYTES / Buffer.byteLength(character)));
    const longest = 'x'.repeat(MAX_CONTENT_BYTES - Buffer.byteLength(content)) + content;
    expect(Buffer.byteLength(longest)).toBe(MAX_CONTENT_BYTES);
    expect(accepts(NewMessage, { content: longest })).toBe(true);
    expect(messagesAbout(NewMessage, { content: `x${longest}` })).toEqual([
      'at most 32000 bytes of UTF-8 are allowed',
    ]);
  },
);

test.each([
  ['a control character, six bytes of JSON', '\u0001', 10_333],
  ['a quotation mark, two bytes of JSON', '"', 30_999],
  ['a lone surrogate, six bytes of JSON', '\ud800', 10_333],
])('a message must fit into one packet after escaping: %s', (_, character, most) => {
  expect(accepts(NewMessage, { content: character.repeat(most) })).toBe(true);
  expect(accepts(NewMessage, { content: character.repeat(most + 1) })).toBe(false);
  expect(messagesAbout(NewMessage, { content: character.repeat(most + 1) })).toContainEqual(
    expect.stringContaining('at most 62000 bytes of JSON are allowed'),
  );
});

test('every accepted message fits into the largest packet, with the longest id of any characters', () => {
  const piece = fc.constantFrom('x', 'é', '👋', '"', '\\', '\n', '\u0001', '\ud800', '\0');
  const content = fc
    .tuple(piece, fc.integer({ min: 1, max: 33_000 }))
    .map(([text, count]) => text.repeat(count));
  let accepted = 0;
  fc.assert(
    fc.property(content, piece, (data, character) => {
      const id = character.repeat(256 / character.length);
      const seq = { q: '0123456789abcdef', n: Number.MAX_SAFE_INTEGER };
      const message = NewMessage.safeParse({ content: data, id, seq });
      if (!message.success) return;
      accepted += 1;
      const packet = encodePacket({ type: 'user_text', data, id, seq });
      expect(packet.byteLength).toBeLessThanOrEqual(MAX_PACKET_BYTES);
    }),
  );
  expect(accepted).toBeGreaterThan(0);
});

test('a message that fits with a plain id is refused with an id that JSON makes too long, and the fault names the id', () => {
  const content = '\u0001'.repeat(10_333);
  expect(accepts(NewMessage, { content, id: 'i'.repeat(256) })).toBe(true);
  expect(faultsIn(NewMessage, { content, id: '\u0001'.repeat(256) })).toEqual(['id']);
});

test('a sequence number has a short name and a positive whole number', () => {
  expect(accepts(NewMessage, { content: 'Hi', seq: { q: 'k3x9qa-_', n: 1 } })).toBe(true);
  for (const seq of [{ q: '', n: 1 }, { q: 'abc', n: 1.5 }, { q: 'abc', n: 2 ** 53 }, 'abc:1']) {
    expect(accepts(NewMessage, { content: 'Hi', seq })).toBe(false);
  }
  const { error } = NewMessage.safeParse({ content: 'Hi', seq: { q: 'a b', n: 1 } });
  expect(error?.issues.map(({ message }) => message)).toEqual([
    'a text of 1 to 16 letters, digits, - and _ is needed',
  ]);
});

test('an empty message is refused, a message of spaces is not', () => {
  expect(faultsIn(NewMessage, { content: '' })).toEqual(['content']);
  expect(NewMessage.parse({ content: ' \n ' })).toEqual({ content: ' \n ' });
});

test('content and id of another JSON type are refused', () => {
  for (const value of NOT_STRINGS) {
    expect(faultsIn(NewMessage, { content: value })).toEqual(['content']);
    expect(faultsIn(NewMessage, { content: 'Hi', id: value })).toEqual(['id']);
  }
});

test('an id has 1 to 256 characters', () => {
  expect(faultsIn(NewMessage, { content: 'Hi', id: '' })).toEqual(['id']);
  expect(accepts(NewMessage, { content: 'Hi', id: 'é'.repeat(256) })).toBe(true);
  expect(faultsIn(NewMessage, { content: 'Hi', id: 'x'.repeat(257) })).toEqual(['id']);
});

test('accepted content is not changed: neither trimmed nor normalised', () => {
  fc.assert(
    fc.property(
      anyText.filter((text) => text !== ''),
      (content) => {
        expect(NewMessage.parse({ content })).toEqual({ content });
      },
    ),
  );
});

test.each([
  ['2026-11-21T08:00:00Z', '2026-11-21T08:00:00.000Z'],
  ['2026-11-21T08:00:00.5+00:00', '2026-11-21T08:00:00.500Z'],
  ['2026-11-21T08:00:00+14:00', '2026-11-20T18:00:00.000Z'],
  ['2026-11-21T08:00:00-23:59', '2026-11-22T07:59:00.000Z'],
  ['2026-11-21T08:00:00.123456+05:30', '2026-11-21T02:30:00.123Z'],
  ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
])('since %s is read as %s', (text, time) => {
  expect(Since.parse(text)).toBe(time);
});

test.each([
  ['2026-11-21T08:00:00.9999Z', '2026-11-21T08:00:00.999Z'],
  ['2026-11-21T08:00:00.9999999999999999Z', '2026-11-21T08:00:00.999Z'],
  ['2026-12-31T23:59:59.999999Z', '2026-12-31T23:59:59.999Z'],
])('digits finer than milliseconds are cut off, so that no message is missed: %s', (text, time) => {
  expect(Since.parse(text)).toBe(time);
});

test.each([
  ['0000-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
  ['1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z'],
  ['1970-01-01T00:00:00+01:00', '1970-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999-14:00', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59.999Z'],
])('a time outside of what PostgreSQL accepts is moved to the limit: %s', (text, time) => {
  expect(Since.parse(text)).toBe(time);
});

test('reading on from a parsed time reads on from the same time', () => {
  const dates = fc.date({
    min: new Date('1970-01-01T00:00:00.000Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, fc.stringMatching(/^\d{0,6}$/), (date, digits) => {
      const time = date.toISOString();
      expect(Since.parse(time.replace('Z', `${digits}Z`))).toBe(time);
    }),
  );
});

test('metadata may hold anything, and may be null, but not be missing', () => {
  const message = {
    id: 'm',
    sessionId: 's',
    content: '',
    role: 'user',
    status: null,
    timestamp: 't',
    createdAt: 't',
  };
  for (const metadata of [null, {}, { kind: 'new_kind', payload: [{ deep: null }] }]) {
    expect(Message.parse({ ...message, metadata })).toEqual({ ...message, metadata });
  }
  expect(faultsIn(Message, message)).toEqual(['metadata']);
  expect(faultsIn(Message, { ...message, metadata: [] })).toEqual(['metadata']);
});
