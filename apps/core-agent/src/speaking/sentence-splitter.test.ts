import { array, assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { SentenceSplitter } from './sentence-splitter.ts';

function split(...parts: readonly string[]): string[] {
  const splitter = new SentenceSplitter();
  return [...parts.flatMap((part) => splitter.push(part)), splitter.end()];
}

test.each([
  [['How are you today? I am fine.'], ['How are you today? ', 'I am fine.']],
  [
    ['How are', ' you today', '? ', 'Fine.'],
    ['How are you today? ', 'Fine.'],
  ],
  [['Ask Dr. Who about it. He knows.'], ['Ask Dr. Who about it. ', 'He knows.']],
  [['You have choices:\n1. Monday\n2. Tuesday'], ['You have choices:\n', '1. Monday\n2. Tuesday']],
  [['It costs 3.50 euros in all. Fine?'], ['It costs 3.50 euros in all. ', 'Fine?']],
  [['これは最初の文です。次の文です。'], ['これは最初の文です。次の文です。']],
  [
    ['これは最初の長い文でございます。次の文です。'],
    ['これは最初の長い文でございます。', '次の文です。'],
  ],
])('%j is spoken as %j', (parts, sentences) => {
  expect(split(...parts)).toEqual(sentences);
});

test('a text without an end is spoken in parts of at most 240 characters, between words', () => {
  const sentences = split('word '.repeat(200));
  expect(sentences.every((one) => one.length <= 240 && !/^\S*\b$/.test(one))).toBe(true);
});

test('a text without a space is spoken in parts of whole characters', () => {
  const text = `a${'👍'.repeat(150)}`;
  const sentences = split(text);
  expect(sentences.map((one) => [one.length, one.isWellFormed()])).toEqual([
    [239, true],
    [62, true],
  ]);
  expect(sentences.join('')).toBe(text);
});

test('however a text is cut into parts, its sentences together are the text', () => {
  const words = constantFrom('. ', '!', '?\n', 'word ', '3.5', '。', '\n\n', '"', ' ');
  assert(
    property(array(words), string({ unit: 'grapheme' }), (parts, last) => {
      expect(split(...parts, last).join('')).toBe(parts.join('') + last);
    }),
  );
});
