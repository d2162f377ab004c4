import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { apiTestWithoutDatabase as test } from '../../../testing/api-test.ts';
import { warnOfUntrustedProxies } from './untrusted-proxies.ts';

const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/none';
const headers = { 'x-forwarded-for': '192.0.2.1' };
const forwarded = { url: '/', remoteAddress: '198.51.100.7', headers } as const;

function warningsIn(logStream: PassThrough) {
  const lines = String(logStream.read() ?? '').split('\n');
  return lines.filter((line) => line.includes('X-Forwarded-For')).map((line) => JSON.parse(line));
}

test('a warning for X-Forwarded-For of an untrusted peer, and none for that of a trusted proxy', async () => {
  const logStream = new PassThrough({ encoding: 'utf8' });
  const env = { TRUSTED_PROXIES: '10.0.0.0/8' };
  await using api = await startTestApi(UNREACHABLE, { logStream, env });
  await api.app.inject({ ...forwarded, remoteAddress: '10.1.2.3' });
  await api.app.inject({ ...forwarded, headers: {} });
  expect(warningsIn(logStream)).toEqual([]);
  expect((await api.app.inject(forwarded)).statusCode).toBe(200);
  expect(warningsIn(logStream)).toEqual([
    expect.objectContaining({
      level: 40,
      peer: '198.51.100.7',
      msg: expect.stringContaining('set TRUSTED_PROXIES'),
    }),
  ]);
});

test('at most one warning a minute', async () => {
  const stream = new PassThrough({ encoding: 'utf8' });
  await using app = Fastify({
    logger: { stream },
    trustProxy: [],
  }).withTypeProvider<ZodTypeProvider>();
  let nowMs = 0;
  warnOfUntrustedProxies(app, () => nowMs);
  app.get('/', () => 'ok');
  const counts: number[] = [];
  for (nowMs of [0, 1, 59_999, 60_000, 60_001]) {
    await app.inject(forwarded);
    counts.push(warningsIn(stream).length);
  }
  expect(counts).toEqual([1, 0, 0, 1, 0]);
});
