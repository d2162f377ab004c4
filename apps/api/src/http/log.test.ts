import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { buildApp } from '../app.ts';
import { loadConfig } from '../config.ts';
import { createDeps } from '../deps.ts';

test('a sign-up that the database does not store leaves no address and no hash in the log', async () => {
  const config = loadConfig({
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    JWT_SECRET: 'a secret of the tests, 32 bytes or more',
    MEDIA_URL: 'ws://127.0.0.1:1',
    MEDIA_API_KEY: 'key',
    MEDIA_API_SECRET: 'another secret of the tests, of 32 bytes or more',
    LOG_LEVEL: 'info',
  });
  const logStream = new PassThrough();
  const logged = text(logStream);
  {
    await using deps = createDeps(config);
    await using app = await buildApp(deps, { logStream });
    const payload = { email: 'ana@example.org', password: 'correct horse', name: 'Ana Example' };
    const answer = await app.inject({ method: 'POST', url: '/auth/signup', payload });
    expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable' });
  }
  logStream.end();
  const log = await logged;
  expect(log).toContain('request failed');
  expect(log).toContain('ECONNREFUSED');
  for (const secret of ['ana@example.org', '$2b$', 'Ana Example', 'correct horse']) {
    expect(log).not.toContain(secret);
  }
});
