import { MARK_END, MARK_START } from '@session/db';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { snippetOf } from './snippet.ts';

/** Marks each `word` in `text`, as PostgreSQL does. */
function marked(text: string, ...words: string[]): string {
  const any = new RegExp(`(${words.join('|')})`, 'gu');
  return text.normalize().toLowerCase().replaceAll(any, `${MARK_START}$1${MARK_END}`);
}

function shown(text: string, ...words: string[]) {
  const { snippet, highlights } = snippetOf(text, marked(text, ...words));
  return { snippet, found: highlights.map(([at, length]) => snippet.slice(at, at + length)) };
}

test('a short text is shown as a whole, with its own case; characters of two code units count as two', () => {
  expect(snippetOf('😀 Grüße <b>', marked('😀 Grüße <b>', 'grüße'))).toEqual({
    snippet: '😀 Grüße <b>',
    highlights: [[3, 5]],
  });
});

test('a long text is cut between words, around the place with most of the words', () => {
  const text = `${'first and '.repeat(90)}here is the Key of the first door${' and more'.repeat(90)}`;
  const { snippet, found } = shown(text, 'first', 'key');
  expect(new Set(found)).toEqual(new Set(['first', 'Key']));
  expect(snippet).toMatch(/^….*here is the Key of the first door.*…$/);
  expect(snippet.length).toBeLessThanOrEqual(242);
  expect(shown(text, 'more').snippet).toMatch(/^…\S.*\S…$/);
});

test('the characters that mark words are removed from the text', () => {
  const text = `a ${MARK_START}b${MARK_END} c`;
  expect(snippetOf(text, marked('a b c', 'c'))).toEqual({ snippet: 'a b c', highlights: [[4, 1]] });
});

test('letters that are written as two characters count as one', () => {
  const { found } = shown('Café Müller, Café'.normalize('NFD'), 'müller');
  expect(found).toEqual(['Müller']);
});

test('without a found word the text is shown from its beginning', () => {
  const { snippet, found } = shown('one two '.repeat(100), 'none');
  expect(snippet).toMatch(/^one two .*…$/);
  expect(found).toEqual([]);
});

test('whatever the text: highlights are the words, and no character is cut', () => {
  const piece = fc.oneof(
    fc.constantFrom('key', ' ', '😀', 'ß', '\n'),
    fc.string({ unit: 'grapheme', maxLength: 80 }).filter((text) => !/key/i.test(text)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('').normalize('NFC').replaceAll(/[İ]/g, 'i').toLowerCase();
      const { snippet, found } = shown(text, 'key');
      expect(snippet.isWellFormed()).toBe(true);
      expect(new Set(found)).toEqual(new Set(text.includes('key') ? ['key'] : []));
    }),
  );
});
