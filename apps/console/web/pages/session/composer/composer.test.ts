import { describe, expect, test } from 'vitest';
import { KeptWords } from './kept-words.ts';
import { sizeProblem } from './message-size.ts';

describe('a message', () => {
  test('of 32,000 bytes can be sent, and one byte more cannot', () => {
    expect(sizeProblem('a'.repeat(32_000))).toBeUndefined();
    expect(sizeProblem('a'.repeat(32_001))).toMatch(/^This message is 1 byte too long\./);
    expect(sizeProblem('é'.repeat(16_001))).toMatch(/^This message is 2 bytes too long\./);
  });

  test('whose JSON is too long is refused too, although it is short', () => {
    expect(sizeProblem('\u0001'.repeat(10_500))).toMatch(/too many special characters/);
  });
});

function refuse(): never {
  throw new Error('QuotaExceededError');
}

function memory(entries: readonly (readonly [string, string])[] = []) {
  const held = new Map(entries);
  return {
    held,
    getItem: (key: string) => held.get(key) ?? null,
    setItem: (key: string, value: string) => void held.set(key, value),
    removeItem: (key: string) => void held.delete(key),
  };
}

describe('kept words', () => {
  test('are there after a reload, and leave nothing when they are sent', () => {
    const storage = memory();
    const before = new KeptWords(storage, 'ada', 'a');
    before.keepDraft('Hello');
    before.keepUnsent([{ id: '1', content: 'Words' }]);
    const after = new KeptWords(storage, 'ada', 'a');
    expect([after.draft, after.unsent]).toEqual(['Hello', [{ id: '1', content: 'Words' }]]);
    after.keepDraft('');
    after.keepUnsent([]);
    expect(storage.held.size).toBe(0);
  });

  test('of another session or another user are not shown', () => {
    const storage = memory();
    new KeptWords(storage, 'ada', 'a').keepDraft('Hello');
    expect(new KeptWords(storage, 'ada', 'b').draft).toBe('');
    expect(new KeptWords(storage, 'ben', 'a').draft).toBe('');
  });

  test.for(['{', 'null', '[1,{"id":3},{"id":"1","content":"Words"}]'])(
    'that another version wrote are read as far as they make sense: %s',
    (text) => {
      const words = new KeptWords(memory([['session.unsent.ada.a', text]]), 'ada', 'a');
      expect(words.unsent.every(({ content }) => content === 'Words')).toBe(true);
    },
  );

  test('are forgotten without an error where the browser keeps nothing', () => {
    const storage = { getItem: refuse, setItem: refuse, removeItem: refuse };
    const words = new KeptWords(storage, 'ada', 'a');
    words.keepDraft('Hello');
    expect([words.draft, words.unsent]).toEqual(['', []]);
  });
});
