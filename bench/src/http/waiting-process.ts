import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, prepareMessageQueries, StoredNotifier } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import type { WaitingJob, WaitingSession, Woken } from './waiting-job.ts';

// The waiting readers and the writer that wakes them run in one process, so that one clock measures both.

/** Between two readers: opening all at once would measure the queue for connections. */
const OPEN_EVERY_MS = 1;
/** Time for the last readers to read what is there, and to begin to wait. */
const SETTLE_MS = 2000;
/** The API's Retry-After. */
const RETRY_MS = 1000;

const { sql } = openDatabase(process.env['DATABASE_URL'] ?? '');
const messages = prepareMessageQueries({ sql });
const notifier = new StoredNotifier({ sql });
const agent = new Agent({ keepAlive: true });
const sentAt = new Map<string, number>();
let sessions: readonly WaitingSession[] = [];
let latenciesMs: number[] = [];
let refused = 0;
let stored = 0;

process.on('message', (job: WaitingJob) => {
  const done = job.kind === 'open' ? open(job) : wake(job);
  void done.then((answer) => process.send?.(answer));
});
process.send?.('ready');

async function open(job: WaitingJob & { kind: 'open' }): Promise<object> {
  sessions = job.sessions;
  for (const { sessionId, headers } of sessions) {
    for (const one of headers) {
      void follow(`${job.address}/sessions/${sessionId}/messages/latest`, one);
      await sleep(OPEN_EVERY_MS);
    }
  }
  await sleep(SETTLE_MS);
  return {};
}

/** Reads new messages again and again, like a client. */
async function follow(address: string, headers: Readonly<Record<string, string>>): Promise<void> {
  let since = new Date().toISOString();
  for (;;) {
    const answer = await read(`${address}?wait=25&since=${since}`, headers);
    if (answer === undefined) {
      refused += 1;
      await sleep(RETRY_MS);
      continue;
    }
    const now = performance.now();
    for (const { id } of answer.items) latenciesMs.push(now - (sentAt.get(id) ?? now));
    since = answer.nextSince;
  }
}

/** Returns the answer, or undefined when it is a 503 or the connection broke. */
async function read(
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ items: { id: string }[]; nextSince: string } | undefined> {
  const request = get(address, { agent, headers });
  const [answer]: IncomingMessage[] = await once(request, 'response').catch(() => []);
  const body = answer && (await text(answer));
  if (body === undefined || answer?.statusCode === 503) return undefined;
  if (answer?.statusCode !== 200) throw new Error(`a reader was answered ${answer?.statusCode}`);
  return JSON.parse(body);
}

/**
 * Stores `perSecond` messages per second, in one session after another. The next call continues with the next session:
 * otherwise some sessions would never be woken, and all their readers would time out at once.
 */
async function wake({ perSecond, durationMs }: WaitingJob & { kind: 'wake' }): Promise<Woken> {
  latenciesMs = [];
  refused = 0;
  const began = performance.now();
  const count = (durationMs * perSecond) / 1000;
  for (let sent = 0; sent < count; sent += 1) {
    await sleep(Math.max(0, began + (sent * 1000) / perSecond - performance.now()));
    void store(sessions[stored % sessions.length]?.sessionId ?? '');
    stored += 1;
  }
  // The last messages are still on their way.
  await sleep(1000);
  return { latenciesMs, stored: count, refused };
}

async function store(sessionId: string): Promise<void> {
  const id = uuidv7();
  sentAt.set(id, performance.now());
  const said = { role: 'user', status: 'complete', kind: 'text', content: 'hello' } as const;
  const message = { sessionId, id, receivedAt: Date.now(), metadata: { kind: 'text' }, ...said };
  await messages.appendMessages([message]);
  // As a recorder does after each flush.
  notifier.notify([sessionId]);
}
