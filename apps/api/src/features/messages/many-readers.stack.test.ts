import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import * as db from '@session/db';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { startApi } from '../../../testing/api-process.ts';
import { START, spoken } from '../../../testing/history.ts';

const SLOW = 8;
const FAST = 16;
const READS = 10;
const LIMIT_MB = 512;

test.runIf(process.platform === 'linux')(
  'eight readers that stop and sixteen that read on, each the largest page: the API stays under 512 MB, and healthy',
  async () => {
    await using database = await createTestDatabase();
    await using stack = new AsyncDisposableStack();
    const folder = await mkdtemp(path.join(tmpdir(), 'readers-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const { sessionId, token } = await insertLargeHistory(database.url);
    const text = await readFile(path.join(import.meta.dirname, '../../../node.env'), 'utf8');
    const api = stack.use(await startApi(database.url, folder, parseEnv(text)));
    const agent = new Agent({ keepAlive: true });
    stack.defer(() => agent.destroy());
    const headers = { authorization: `Bearer ${token}` };
    const ask = async (url: string): Promise<IncomingMessage> => {
      const [response] = await once(get(`${api.url}${url}`, { agent, headers }), 'response');
      return response;
    };
    const latest = `/sessions/${sessionId}/messages/latest?limit=500&since=${START}`;
    const newest = `/sessions/${sessionId}/messages?limit=100`;
    const slow = await Promise.all(Array.from({ length: SLOW }, () => ask(latest)));
    stack.defer(() => {
      for (const response of slow) response.destroy();
    });
    const over = new AbortController();
    const health: (number | undefined)[] = [];
    const checking = (async () => {
      while (!over.signal.aborted) {
        const response = await ask('/health');
        response.resume();
        health.push(response.statusCode);
      }
    })();
    const statuses = await Promise.all(
      Array.from({ length: FAST }, async (_, reader) => {
        const seen: (number | undefined)[] = [];
        for (let read = 0; read < READS; read += 1) {
          const response = await ask((reader + read) % 2 === 0 ? latest : newest);
          await json(response);
          seen.push(response.statusCode);
        }
        return seen;
      }),
    );
    over.abort();
    await checking;
    // A busy machine may have a reader come again.
    expect(new Set(statuses.flat()).difference(new Set([503]))).toEqual(new Set([200]));
    expect(new Set(health)).toEqual(new Set([200]));
    expect(await peakMb(api.pid)).toBeLessThan(LIMIT_MB);
  },
);

/** Stores a session with 500 messages of 124 KB, and returns it with the token of a reader. */
async function insertLargeHistory(databaseUrl: string) {
  await using api = await startTestApi(databaseUrl);
  const ana = await api.createUser();
  const sessionId = await api.createSession(ana);
  const content = 'x'.repeat(62_000);
  for (let batch = 0; batch < 10; batch += 1) {
    await db.appendMessages(
      api.deps.database,
      Array.from({ length: 50 }, () => spoken(sessionId, { content, metadata: { content } })),
    );
  }
  return { sessionId, token: ana.token };
}

/** Returns the largest resident set that the process has had. */
async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
