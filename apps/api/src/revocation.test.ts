import { setImmediate } from 'node:timers/promises';
import * as db from '@session/db';
import { DatabaseProxy } from '@session/testing';
import { expect } from 'vitest';
import { startTestApi, type TestUser } from '../testing/api.ts';
import { apiTest as test } from '../testing/api-test.ts';
import { EndedTokens } from './http/callers/ended-tokens.ts';

const CLIENTS = 4;
/** How long an API that gets no notification trusts a key that it has read. */
const TRUSTED_MS = 1000;
const SINCE = '2026-01-01T00:00:00Z';

test.for([
  ['as soon as it is told', false],
  ['by its next look, while its listener is cut', true],
] as const)(
  'beside load an API refuses a key that another API has deleted, and the end users whom it let in, %s; their polls and streams end',
  async ([, isCut], { api, ana, database }) => {
    await using proxy = await DatabaseProxy.open(database.url);
    const { listEndedTokens, listNewlyEndedTokens } = db;
    const endedTokens = new EndedTokens({
      tokens: db.bind(api.deps.database, { listEndedTokens, listNewlyEndedTokens }),
      lifetimeSeconds: 600,
      timing: { everyMs: isCut ? 100 : 3_600_000 },
    });
    await using other = await startTestApi(database.url, {
      env: { DATABASE_DIRECT_URL: proxy.url },
      deps: { endedTokens },
    });
    const address = await other.app.listen({ port: 0, host: '127.0.0.1' });
    const projectId = await api.createProject(ana);
    const key = await api.createKey(projectId);
    const sessionId = await api.createSession(ana, projectId);
    const callers = [key, await api.createParticipant(key, sessionId)];
    const ask = async (path: string, { token }: TestUser) => {
      const headers = { authorization: `Bearer ${token}` };
      return await fetch(`${address}/sessions/${sessionId}${path}`, { headers });
    };

    let deletedAt = Infinity;
    let toldAt = Infinity;
    endedTokens.onEnded((id) => {
      if (id === key.id) toldAt = performance.now();
    });
    /** Returns the time from which all requests of a caller must be refused, even if the API gets no notification. */
    const refusedFrom = (caller: TestUser) =>
      isCut && caller === key ? deletedAt + TRUSTED_MS : toldAt;
    /** How many milliseconds after `refusedFrom` each accepted request began. */
    const late: number[] = [];
    const counts = { accepted: 0, refused: 0 };
    const ending = new AbortController();
    const load = callers.flatMap((caller) =>
      Array.from({ length: CLIENTS }, async () => {
        while (!ending.signal.aborted) {
          const beganAt = performance.now();
          const answer = await ask('/messages', caller);
          await answer.arrayBuffer();
          counts[answer.ok ? 'accepted' : 'refused'] += 1;
          if (answer.ok) late.push(beganAt - refusedFrom(caller));
          await setImmediate();
        }
      }),
    );
    await using stack = new AsyncDisposableStack();
    stack.defer(async () => {
      ending.abort();
      await Promise.all(load);
    });
    const held = callers.flatMap((caller) =>
      [`/messages/latest?wait=25&since=${SINCE}`, '/messages/stream'].map(async (path) => {
        const answer = await ask(path, caller);
        return (await answer.text()).split('\n').at(-3);
      }),
    );
    const ends = Promise.allSettled(held);
    const waiting = async () => {
      const page = await other.deps.metrics.registry.metrics();
      return /^session_waiting_readers (\d+)/m.exec(page)?.[1];
    };
    await expect.poll(waiting).toBe('4');
    await expect.poll(() => counts.accepted).toBeGreaterThan(100);
    if (isCut) await proxy.refuseConnections();
    expect(counts.refused).toBe(0);

    const deletion = { method: 'DELETE', url: `/api-keys/${key.id}` } as const;
    expect((await api.inject(ana, deletion)).statusCode).toBe(204);
    deletedAt = performance.now();
    const outcomes = await ends;
    await expect.poll(() => counts.refused).toBeGreaterThan(100);
    const cut = { status: 'rejected' };
    const told = { status: 'fulfilled', value: 'data: {"reason":"token_ended"}' };
    expect(outcomes).toMatchObject([cut, told, cut, told]);
    expect(toldAt).toBeLessThan(Infinity);
    expect(Math.max(...late)).toBeLessThanOrEqual(0);
  },
);
