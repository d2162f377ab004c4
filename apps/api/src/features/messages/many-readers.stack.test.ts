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
import { eventsOf, open } from '../../../testing/message-streams.ts';

const MESSAGES = 500;
const SLOW = 8;
const FAST = 16;
const READS = 10;
const STREAMS = 20;
const LIMIT_MB = 512;

test.runIf(process.platform === 'linux')(
  'eight readers that stop and sixteen that read on, each the largest page: the API stays under 512 MB, and healthy',
  async () => {
    await using stack = new AsyncDisposableStack();
    const { ask, pid, sessionId } = await startWithHistory(stack);
    const latest = `/sessions/${sessionId}/messages/latest?limit=500&since=${START}`;
    const newest = `/sessions/${sessionId}/messages?limit=100`;
    const slow = await Promise.all(Array.from({ length: SLOW }, () => ask(latest)));
    stack.defer(() => {
      for (const response of slow) response.destroy();
    });
    const checked = checkHealth(stack, ask);
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
    // On a busy machine, a reader may have to ask again.
    expect(new Set(statuses.flat()).difference(new Set([503]))).toEqual(new Set([200]));
    expect(await checked()).toEqual(new Set([200]));
    expect(await peakMb(pid)).toBeLessThan(LIMIT_MB);
  },
);

test.runIf(process.platform === 'linux')(
  'twenty streams whose clients do not read: the API stays under 512 MB, and another stream has every message',
  async () => {
    await using stack = new AsyncDisposableStack();
    const { ana, ask, database, pid, sessionId, url } = await startWithHistory(stack);
    const follow = () => open(url, ana, sessionId, { since: START });
    const read = await follow();
    const streams = [read];
    stack.defer(() => {
      for (const response of streams) response.destroy();
    });
    const checked = checkHealth(stack, ask);
    const reading = readIds(read, MESSAGES + 100);
    // Opened one by one, because a busy machine may answer some of twenty simultaneous first reads with 503.
    while (streams.length <= STREAMS) streams.push(await follow());
    for (let batch = 0; batch < 5; batch += 1) await append(database, sessionId, 20);
    const ids = await reading;
    expect(ids).toHaveLength(MESSAGES + 100);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(await checked()).toEqual(new Set([200]));
    expect(await peakMb(pid)).toBeLessThan(LIMIT_MB);
  },
);

/** Returns the ids of the first `count` messages of a stream. */
async function readIds(stream: IncomingMessage, count: number): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id, data } of eventsOf(stream)) {
    if (id !== undefined && data.id !== undefined) ids.push(id);
    if (ids.length === count) break;
  }
  return ids;
}

type Ask = (path: string) => Promise<IncomingMessage>;

/** Starts an API with a session of 500 large messages, and returns how its reader asks. */
async function startWithHistory(stack: AsyncDisposableStack) {
  const database = stack.use(await createTestDatabase());
  const folder = await mkdtemp(path.join(tmpdir(), 'readers-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const maker = stack.use(await startTestApi(database.url));
  const ana = await maker.createUser();
  const sessionId = await maker.createSession(ana);
  for (let count = 0; count < MESSAGES; count += 50) {
    await append(maker.deps.database, sessionId, 50);
  }
  const text = await readFile(path.join(import.meta.dirname, '../../../node.env'), 'utf8');
  const { pid, url } = stack.use(await startApi(database.url, folder, parseEnv(text)));
  const agent = new Agent({ keepAlive: true });
  stack.defer(() => agent.destroy());
  const headers = { authorization: `Bearer ${ana.token}` };
  const ask: Ask = async (place) => {
    const [response] = await once(get(`${url}${place}`, { agent, headers }), 'response');
    return response;
  };
  return { ana, ask, database: maker.deps.database, pid, sessionId, url };
}

/** Stores messages of 124 KB. */
async function append(database: db.DatabaseAccess, sessionId: string, count: number) {
  const content = 'x'.repeat(62_000);
  const rows = Array.from({ length: count }, () =>
    spoken(sessionId, { content, metadata: { content } }),
  );
  await db.appendMessages(database, rows);
}

/** Asks `/health` again and again. The function that it returns ends this, and returns the status codes. */
function checkHealth(stack: AsyncDisposableStack, ask: Ask) {
  const over = new AbortController();
  stack.defer(() => over.abort());
  const checking = (async () => {
    const seen = new Set<number | undefined>();
    while (!over.signal.aborted) {
      const response = await ask('/health');
      response.resume();
      seen.add(response.statusCode);
    }
    return seen;
  })();
  return async () => {
    over.abort();
    return await checking;
  };
}

/** Returns the largest resident set that the process has had. */
async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
