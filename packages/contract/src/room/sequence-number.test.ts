import { expect, test } from 'vitest';
import { sequenceAttribute, sequenceOfAttribute, sequenceOfPacket } from './sequence-number.ts';

test.each<[string, number]>([
  ['a', 1],
  ['Az09_-xyz', 2],
  ['0123456789abcdef', Number.MAX_SAFE_INTEGER],
])('a number of %s, %i, is read from a packet and from an attribute', (q, n) => {
  expect(sequenceOfPacket({ seq: { q, n, more: true } })).toEqual({ q, n });
  expect(sequenceOfAttribute(sequenceAttribute({ q, n }))).toEqual({ q, n });
});

test.each<unknown>([
  undefined,
  null,
  7,
  'abc:1',
  [],
  {},
  { q: 'abc' },
  { n: 1 },
  { q: '', n: 1 },
  { q: '0123456789abcdefg', n: 1 },
  { q: 'a b', n: 1 },
  { q: 'ä', n: 1 },
  { q: 'abc\n', n: 1 },
  { q: ['abc'], n: 1 },
  { q: { toString: 1 }, n: 1 },
  { q: 'abc', n: 0 },
  { q: 'abc', n: -1 },
  { q: 'abc', n: 1.5 },
  { q: 'abc', n: '1' },
  { q: 'abc', n: 2 ** 53 },
  { q: 'abc', n: null },
])('%j is no sequence number of a packet', (seq) => {
  expect(sequenceOfPacket({ seq })).toBeUndefined();
});

test.each(['', 'abc', 'abc:', ':1', 'abc:0', 'abc:01', 'abc:1.0', 'abc:1e3', 'abc:-1', 'abc: 1'])(
  '"%s" is no sequence number of a text stream',
  (attribute) => expect(sequenceOfAttribute(attribute)).toBeUndefined(),
);

test.each(['a:b:1', 'abc:1:2', 'a b:1', 'abc:9007199254740992', 'abc:1\n'])(
  'neither is %j',
  (attribute) => expect(sequenceOfAttribute(attribute)).toBeUndefined(),
);
