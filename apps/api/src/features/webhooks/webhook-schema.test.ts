import { expect, test } from 'vitest';
import { checkedUrl } from './webhook-schema.ts';

test('a URL is stored as it is sent to', () => {
  expect(checkedUrl('HTTPS://Example.org\\a secret', [])).toBe('https://example.org/a%20secret');
});
