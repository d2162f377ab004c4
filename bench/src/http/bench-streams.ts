import { once } from 'node:events';
import { Agent, type ClientRequest, get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { appendMessages, type NewMessageRow, openDatabase, StoredNotifier } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { inS, markdownTable, percentile } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { waitingSessions } from './bench-waiting.ts';
import { databaseCpuMs } from './database-cpu.ts';
import type { Servers } from './servers.ts';

/** The pause between two streams: opening all of them at once is measured later. */
const OPEN_EVERY_MS = 1;
const REST_MS = 30_000;
const MOST_MS = 120_000;
const STORED_AT_ONCE = 100;
const HEAD = ['', 'p50', 'p99', 'last', 'late', 'broken', 'CPU, database', 'CPU, API', 'API'];

/**
 * Measures ten streams in each of a thousand sessions: at rest, with a message for each, and after all were cut at once.
 */
export async function benchStreams(
  servers: Servers,
  url: string,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const { address, program } = await servers.startApi(url);
  await using stack = new AsyncDisposableStack();
  // A single connection, opened before the streams: while ten thousand streams connect, another connection takes too long.
  const settings = { connections: 1, statementTimeoutMs: 600_000, lockTimeoutMs: 600_000 };
  const database = stack.use(openDatabase(url, settings));
  const notifier = stack.use(new StoredNotifier(database));
  const sessions = await waitingSessions(database, servers);
  const streams = sessions.flatMap(({ sessionId, headers }) =>
    headers.map((one) => stack.use(new CutStream(address, sessionId, one))),
  );
  const store = async () => {
    const rows = sessions.map(({ sessionId }) => messageRow(sessionId));
    for (let at = 0; at < rows.length; at += STORED_AT_ONCE) {
      const batch = rows.slice(at, at + STORED_AT_ONCE);
      await appendMessages(database, batch);
      notifier.notify(batch.map(({ sessionId }) => sessionId));
    }
    return new Map(rows.map(({ sessionId, id }) => [sessionId, id]));
  };
  const whole = async (ids: ReadonlyMap<string, string | undefined>) => {
    const until = performance.now() + MOST_MS;
    while (streams.some((one) => !one.has(ids.get(one.sessionId))) && performance.now() < until) {
      stop.throwIfAborted();
      await sleep(20);
    }
    return streams.filter((one) => !one.has(ids.get(one.sessionId))).length;
  };
  const rows: string[][] = [];
  const measure = async (name: string, act: () => Promise<number>) => {
    stop.throwIfAborted();
    const before = { databaseMs: await databaseCpuMs(database.sql), ...(await program.usage()) };
    for (const stream of streams) stream.broken = 0;
    const beganAt = performance.now();
    const late = await progress.during(name, act);
    const after = { databaseMs: await databaseCpuMs(database.sql), ...(await program.usage()) };
    const times = streams.flatMap(({ cameAt }) => (cameAt > beganAt ? cameAt - beganAt : []));
    rows.push([
      name,
      ...[0.5, 0.99, 1].map((part) => (times.length === 0 ? '' : inS(percentile(times, part)))),
      String(late),
      String(streams.reduce((sum, { broken }) => sum + broken, 0)),
      inS(after.databaseMs - before.databaseMs),
      inS(after.cpuMs - before.cpuMs),
      `${after.rssMb.toFixed(0)} MB`,
    ]);
  };
  await measure('opening 10,000 streams', async () => {
    for (const stream of streams) {
      void stream.follow();
      await sleep(OPEN_EVERY_MS);
    }
    return await whole(new Map());
  });
  await measure(`at rest for ${REST_MS / 1000} s`, async () => await sleep(REST_MS, 0));
  await measure('a message in each session', async () => await whole(await store()));
  for (let round = 1; round <= rounds; round += 1) {
    await measure(`all cut, round ${round}`, async () => {
      for (const stream of streams) stream.cut();
      return await whole(await store());
    });
  }
  const doubled = streams.reduce((sum, stream) => sum + stream.doubled, 0);
  return `${markdownTable(HEAD, rows)}\n\nMessages that came twice: ${doubled}`;
}

function messageRow(sessionId: string): NewMessageRow {
  const said = { role: 'user', status: 'complete', kind: 'text', content: 'hello' } as const;
  return { sessionId, id: uuidv7(), receivedAt: Date.now(), metadata: { kind: 'text' }, ...said };
}

/** Reconnects as browsers do: from the last id, after the time that the service asked for. */
class CutStream implements Disposable {
  readonly sessionId: string;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent = new Agent({ keepAlive: false });
  #request: ClientRequest | undefined;
  #isOver = false;
  #retryMs = 1000;
  #position: string | undefined;
  #newest: string | undefined;
  cameAt = -Infinity;
  broken = 0;
  doubled = 0;

  constructor(address: string, sessionId: string, headers: Readonly<Record<string, string>>) {
    this.sessionId = sessionId;
    this.#url = `${address}/sessions/${sessionId}/messages/stream`;
    this.#headers = headers;
  }

  /** Whether the newest message has this id; without an id, whether the stream is open. */
  has(id: string | undefined): boolean {
    return this.#position !== undefined && this.#newest === id;
  }

  async follow(): Promise<void> {
    while (!this.#isOver) {
      await this.#read();
      this.broken += 1;
      await sleep(this.#retryMs);
    }
  }

  cut(): void {
    this.#request?.destroy();
    this.broken -= 1;
  }

  async #read(): Promise<void> {
    const position = this.#position === undefined ? {} : { 'last-event-id': this.#position };
    const headers = { ...this.#headers, ...position };
    this.#request = get(this.#url, { agent: this.#agent, headers });
    const [answer]: IncomingMessage[] = await once(this.#request, 'response').catch(() => []);
    answer?.on('error', () => {});
    if (answer?.statusCode !== 200) return void answer?.resume();
    const lines = createInterface({ input: answer });
    lines.on('error', () => {});
    const fields = new Map<string, string>();
    lines.on('line', (line) => {
      const [name = '', value = ''] = line.split(/: (.*)/);
      if (line !== '') fields.set(name, value);
      else this.#take(fields);
    });
    await new Promise((resolve) => answer.once('close', resolve));
  }

  #take(fields: Map<string, string>): void {
    const { id: position, retry, event, data } = Object.fromEntries(fields);
    fields.clear();
    // A comment shows only that the connection is open.
    if (position !== undefined) this.cameAt = performance.now();
    this.#position = position ?? this.#position;
    if (retry !== undefined) this.#retryMs = Number(retry);
    if (event !== undefined || data === undefined) return;
    const { id } = JSON.parse(data);
    if (id === this.#newest) this.doubled += 1;
    this.#newest = id;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    this.#request?.destroy();
  }
}
