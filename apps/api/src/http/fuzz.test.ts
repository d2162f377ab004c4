import { createTestDatabase, testMedia } from '@session/testing';
import { type Document, fuzz } from '@session/testing/fuzz';
import { expect, test } from 'vitest';
import { startTestApi } from '../../testing/api.ts';

const requests = Number(process.env['FUZZ_REQUESTS'] ?? 2000);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const isAsked = 'FUZZ_REQUESTS' in process.env;
const maxMs = isAsked ? 3_600_000 : 50_000;

/** A participant can do less than a key, and a key less than a person. */
const callers = [
  ['a person', requests],
  ['an API key', Math.ceil(requests / 4)],
  ['a participant', Math.ceil(requests / 8)],
] as const;

test.each(callers)(
  'by %s, %i requests made from the document: no 5xx, and no answer that is not as documented',
  {
    timeout: maxMs + 180_000,
  },
  async (caller, count) => {
    await using database = await createTestDatabase();
    // One account creates all objects.
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
    const ana = await api.createUser();
    const projectId = await api.createProject(ana);
    const sessionId = await api.createSession(ana, projectId);
    const { token } = {
      'a person': ana,
      'an API key': await api.createKey(projectId, 'ADMIN'),
      'a participant': await api.createParticipant(ana, sessionId),
    }[caller];
    const document: Document = JSON.parse(await (await fetch(`${url}/openapi.json`)).text());
    // A request that waits shows nothing here, and a password hash takes a third of a second.
    const hashing = ['signUp', 'logIn', 'resetPassword', 'changePassword', 'changeMe', 'deleteMe'];
    const values = {
      wait: [0],
      ...(caller === 'a participant' && { id: [sessionId], sessionId: [sessionId] }),
    };
    // The token of all requests must not end.
    const costs = { values, rarely: hashing, never: ['signOut'] };
    const report = await fuzz({ document, url, token, seed, requests: count, maxMs, ...costs });
    if (isAsked) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
    expect(report.faults.join('\n\n')).toBe('');
    expect((await fetch(`${url}/health`)).status).toBe(200);
  },
);
