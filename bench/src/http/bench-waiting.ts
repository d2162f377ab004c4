import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { appendMessages, type Database, openDatabase, StoredNotifier } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { markdownTable, percentile } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import type { Servers } from './servers.ts';

const WOKEN_PER_SECOND = 100;
const ROUND_FACTOR = 3;
/** The pause between two readers: opening all of them at once would measure the queue for connections. */
const OPEN_EVERY_MS = 1;
const SETTLE_MS = 2000;
const ARRIVAL_MS = 1000;
const RETRY_MS = 1000;
const TIMES = ['p50', 'p99', 'longest'];
const HEAD = ['round', 'stored', 'received', 'refused', ...TIMES, 'of a core', 'above idle'];

interface WaitingSession {
  readonly sessionId: string;
  readonly headers: readonly Readonly<Record<string, string>>[];
}

/** Measures ten waiting readers in each of a thousand sessions. */
export async function benchWaiting(
  servers: Servers,
  url: string,
  { rounds, roundMs, progress, stop }: BenchOptions,
): Promise<string> {
  const { address, program } = await servers.startApi(url);
  await using stack = new AsyncDisposableStack();
  const database = stack.use(openDatabase(url));
  const readers = new Readers(address);
  stack.defer(() => readers.end());
  const sessions = await waitingSessions(database, servers);
  const store = openWriter(database, readers);
  const idle = await program.usage();
  await progress.during('Opening 10,000 readers', () => readers.open(sessions));
  let [peakMb, stored] = [(await program.usage()).rssMb, 0];
  const rows: string[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stop.throwIfAborted();
    readers.take();
    const before = await program.usage();
    const began = performance.now();
    const count = (ROUND_FACTOR * roundMs * WOKEN_PER_SECOND) / 1000;
    await progress.during(`Waking, round ${round} of ${rounds}`, async () => {
      for (let sent = 0; sent < count; sent += 1) {
        await sleep(Math.max(0, began + (sent * 1000) / WOKEN_PER_SECOND - performance.now()));
        // A round begins with the session after the last one: the readers of a session that is never woken all time out at once.
        store(sessions[stored % sessions.length]?.sessionId ?? '').catch(readers.fail);
        stored += 1;
      }
      await sleep(ARRIVAL_MS);
    });
    const after = await program.usage();
    peakMb = Math.max(peakMb, after.rssMb);
    const core = (100 * (after.cpuMs - before.cpuMs)) / (performance.now() - began);
    const { latenciesMs, refused } = readers.take();
    const latency = (part: number) => `${percentile(latenciesMs, part).toFixed(0)} ms`;
    rows.push([
      ...[round, count, latenciesMs.length, refused].map(String),
      ...[0.5, 0.99, 1].map(latency),
      `${core.toFixed(0)} %`,
      `${(after.rssMb - idle.rssMb).toFixed(0)} MB`,
    ]);
  }
  return `${markdownTable(HEAD, rows)}\n\nidle: ${idle.rssMb.toFixed(0)} MB; most above idle: ${(peakMb - idle.rssMb).toFixed(0)} MB`;
}

export async function waitingSessions(
  { sql }: Database,
  servers: Servers,
): Promise<WaitingSession[]> {
  const rows = await sql<{ sessionId: string; members: string[] }[]>`
    select s.id as "sessionId", array_agg(m.user_id::text) as members
    from sessions s join memberships m on m.project_id = s.project_id where s.name like 'waiting %' group by s.id`;
  return rows.map(({ sessionId, members }) => ({
    sessionId,
    headers: members.map((member) => servers.headersOf(member)),
  }));
}

/** The writer and the readers share a process, so that one clock measures both. */
function openWriter(database: Database, readers: Readers) {
  const notifier = new StoredNotifier(database);
  return async (sessionId: string) => {
    const id = uuidv7();
    readers.sentAt.set(id, performance.now());
    const said = { role: 'user', status: 'complete', kind: 'text', content: 'hello' } as const;
    const message = { sessionId, id, receivedAt: Date.now(), metadata: { kind: 'text' }, ...said };
    await appendMessages(database, [message]);
    notifier.notify([sessionId]);
  };
}

class Readers {
  readonly sentAt = new Map<string, number>();
  readonly #address: string;
  /** Replaces undici's pool, which looks at all connections before each request. */
  readonly #agent = new Agent({ keepAlive: true });
  #latenciesMs: number[] = [];
  #refused = 0;
  #failure: unknown;
  #isOver = false;

  constructor(address: string) {
    this.#address = address;
  }

  async open(sessions: readonly WaitingSession[]): Promise<void> {
    for (const { sessionId, headers } of sessions) {
      const url = `${this.#address}/sessions/${sessionId}/messages/latest`;
      for (const one of headers) {
        this.#follow(url, one).catch(this.fail);
        await sleep(OPEN_EVERY_MS);
      }
    }
    await sleep(SETTLE_MS);
  }

  readonly fail = (error: unknown): void => {
    this.#failure ??= error;
  };

  /**
   * Returns the latencies since the last call, and how many reads ended with 503 or a broken connection. Throws the first
   * failure.
   */
  take() {
    if (this.#failure !== undefined) throw this.#failure;
    const taken = { latenciesMs: this.#latenciesMs, refused: this.#refused };
    [this.#latenciesMs, this.#refused] = [[], 0];
    return taken;
  }

  end(): void {
    this.#isOver = true;
    this.#agent.destroy();
  }

  async #follow(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    let since = new Date().toISOString();
    while (!this.#isOver) {
      const answer = await this.#read(`${url}?wait=25&since=${since}`, headers);
      if (answer === undefined) {
        this.#refused += 1;
        await sleep(RETRY_MS);
        continue;
      }
      const now = performance.now();
      for (const { id } of answer.items) this.#latenciesMs.push(now - (this.sentAt.get(id) ?? now));
      since = answer.nextSince;
    }
  }

  /** Returns the answer, or undefined when it is a 503 or the connection broke. */
  async #read(
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ items: { id: string }[]; nextSince: string } | undefined> {
    const request = get(url, { agent: this.#agent, headers });
    const [answer]: IncomingMessage[] = await once(request, 'response').catch(() => []);
    const body = answer && (await text(answer).catch(() => undefined));
    if (body === undefined || answer?.statusCode === 503) return undefined;
    if (answer?.statusCode !== 200) throw new Error(`a reader was answered ${answer?.statusCode}`);
    return JSON.parse(body);
  }
}
