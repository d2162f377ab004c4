import { createTestDatabase, testMedia } from '@session/testing';
import { type Document, fuzz } from '@session/testing/fuzz';
import { expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';

const requests = Number(process.env['FUZZ_REQUESTS'] ?? 2000);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const isAsked = 'FUZZ_REQUESTS' in process.env;
const maxMs = isAsked ? 3_600_000 : 50_000;

test(`${requests} requests made from the document: no 5xx, and no answer that is not as documented`, {
  timeout: maxMs + 180_000,
}, async () => {
  await using database = await createTestDatabase();
  // One account makes all that there is.
  const env = {
    API_DOCS: 'true',
    PROJECT_CAPACITY_PER_ACCOUNT: '0',
    SESSION_CAPACITY_PER_ACCOUNT: '0',
    AGENT_CAPACITY_PER_ACCOUNT: '0',
    AGENT_CAPACITY: '100000',
    TEMPLATE_CAPACITY_PER_ACCOUNT: '0',
    TEMPLATE_BYTES_PER_ACCOUNT: '0',
  };
  await using api = await startTestApi(database.url, { media: testMedia(), env });
  const url = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { token } = await api.createUser();
  const document: Document = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
  // A request that waits shows nothing here, and a password hash takes a third of a second.
  const hashing = ['signUp', 'logIn', 'changePassword', 'changeMe', 'deleteMe'];
  // The token of all requests must not end.
  const costs = { values: { wait: [0] }, rarely: hashing, never: ['signOut'] };
  const report = await fuzz({ document, url, token, seed, requests, maxMs, ...costs });
  if (isAsked) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  expect(report.faults.join('\n\n')).toBe('');
  expect((await fetch(`${url}/health`)).status).toBe(200);
});
