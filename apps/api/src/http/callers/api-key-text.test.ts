import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { newApiKey, parseApiKey } from './api-key-text.ts';

test('a key is its id, a secret and a checksum; what is stored is the hash of the secret', () => {
  const { text, id, secretHash } = newApiKey();
  expect(text).toMatch(/^ck_[a-z2-7]{16}_[a-z2-7]{38}$/);
  expect(text.split('_')[1]).toBe(id);
  expect(secretHash).toEqual(createHash('sha256').update(text.slice(20, 52)).digest());
  expect(parseApiKey(text)).toEqual({ id, secretHash });
  expect(newApiKey().text).not.toBe(text);
});

test('a key with one other character is no key, wherever it is', () => {
  const { text } = newApiKey();
  for (const index of Array.from(text).keys()) {
    const changed = text[index] === 'b' ? 'c' : 'b';
    expect(
      parseApiKey(`${text.slice(0, index)}${changed}${text.slice(index + 1)}`),
    ).toBeUndefined();
  }
});

test.each([
  '',
  'ck_',
  'ck_short_secret',
  ` ${newApiKey().text}`,
  `${newApiKey().text}a`,
  newApiKey().text.toUpperCase(),
])('%j is no key', (text) => {
  expect(parseApiKey(text)).toBeUndefined();
});
