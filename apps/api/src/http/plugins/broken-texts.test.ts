import { expect } from 'vitest';
import * as z from 'zod';
import { ownApiTestWithoutDatabase as test } from '../../../testing/api-test.ts';

test.for<[number, string, object]>([
  [400, 'in a text', { a: 'b\0' }],
  [400, 'in a name', { 'a\0': 'b' }],
  [400, 'deep inside', { a: [{ b: { 'c\0': null } }] }],
  [400, 'or half an emoji in a text', { a: 'b\ud83d' }],
  [400, 'or half an emoji in a name', { 'a\ude00': 'b' }],
  [200, 'nowhere, and a whole emoji in both', { 'a😀': '😀' }],
  [200, 'nowhere', { a: [{ b: { c: '\\u0000' } }] }],
])('%i for NUL %s of a body that may hold anything', async ([status, , payload], { api }) => {
  const schema = { body: z.record(z.string(), z.unknown()) };
  api.app.post('/any', { schema, config: { public: true } }, () => 'taken');
  const answer = await api.app.inject({ method: 'POST', url: '/any', payload });
  expect(answer.statusCode).toBe(status);
});

test.for<[number, number, object]>([
  [200, 20_000, { a: Array.from({ length: 19_999 }, () => 0) }],
  [400, 20_001, { a: Array.from({ length: 20_000 }, () => 0) }],
  [400, 20_001, Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`a${n}`, 0]))],
])('%i for a body of %i values', async ([status, , payload], { api }) => {
  const schema = { body: z.record(z.string(), z.unknown()) };
  api.app.post('/any', { schema, config: { public: true } }, () => 'taken');
  const answer = await api.app.inject({ method: 'POST', url: '/any', payload });
  expect(answer.statusCode).toBe(status);
});
