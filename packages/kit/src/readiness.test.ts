import { expect, test } from 'vitest';
import { Readiness } from './readiness.ts';

test('a process that drains before its start has ended is never ready', () => {
  const readiness = new Readiness();
  expect(readiness.answer).toMatchObject({ status: 503, body: '{"status":"starting"}' });
  readiness.drain();
  readiness.ready();
  expect(readiness.answer).toMatchObject({ status: 503, body: '{"status":"draining"}' });
});
