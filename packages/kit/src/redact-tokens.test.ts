import { expect, test } from 'vitest';
import { redactTokens } from './redact-tokens.ts';

test('no part of a token is left, wherever it stands', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln-bmF0_XJl';
  const text = `GET /rtc?access_token=${token}&v=1: "${token}", half of one: ${token.slice(0, 30)}`;
  expect(redactTokens(text)).toBe('GET /rtc?access_token=eyJ…&v=1: "eyJ…", half of one: eyJ…');
  expect(redactTokens('nothing to hide')).toBe('nothing to hide');
});
