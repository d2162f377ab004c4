import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  appendMessages,
  type Database,
  insertProject,
  insertSession,
  insertUser,
  type NewMessageRow,
  openDatabase,
  StoredNotifier,
} from '@session/db';
import { serve } from '@session/testing/serve';
import { v7 as uuidv7 } from 'uuid';

export interface FollowedProject {
  readonly userId: string;
  readonly projectId: string;
  readonly sessions: readonly string[];
}

export async function makeProject(database: Database, count: number): Promise<FollowedProject> {
  const [userId, projectId] = [uuidv7(), uuidv7()];
  const email = `${userId}@example.org`;
  await insertUser(database, { id: userId, name: 'Bench', email, passwordHash: '-' });
  const project = { id: projectId, name: 'followed', membershipId: uuidv7(), ownerId: userId };
  await insertProject(database, project);
  const sessions = Array.from({ length: count }, () => uuidv7());
  for (const id of sessions) {
    await insertSession(database, { id, projectId, name: 'followed', createdBy: userId });
  }
  return { userId, projectId, sessions };
}

/**
 * Measures times from the store to the reader. Writer, streams and receiver share a process, so one clock measures all.
 */
export class Arrivals {
  readonly #sentAt = new Map<string, number>();
  #timesMs: number[] = [];

  sent(id: string): void {
    this.#sentAt.set(id, performance.now());
  }

  came(id: string): void {
    const sentAt = this.#sentAt.get(id);
    if (sentAt !== undefined) this.#timesMs.push(performance.now() - sentAt);
  }

  get count(): number {
    return this.#timesMs.length;
  }

  take(): number[] {
    const times = this.#timesMs;
    this.#timesMs = [];
    return times;
  }
}

function rowOf(sessionId: string): NewMessageRow {
  const content = 'A sentence of middling length, as people say them, with a word or two.';
  const said = { role: 'user', status: 'complete', kind: 'text', content } as const;
  const metadata = { kind: 'text', participant: null };
  return { id: uuidv7(), sessionId, receivedAt: Date.now(), metadata, ...said };
}

/** Stores messages as a recorder does: in one flush, all that have come. */
export class FollowedWriter implements AsyncDisposable {
  readonly #database: Database;
  readonly #notifier: StoredNotifier;
  readonly #sessions: readonly string[];

  constructor(url: string, sessions: readonly string[]) {
    this.#database = openDatabase(url, { connections: 2 });
    this.#notifier = new StoredNotifier(this.#database);
    this.#sessions = sessions;
  }

  async #store(count: number, sent: (id: string) => void = () => {}): Promise<void> {
    const rows = Array.from({ length: count }, (_, index) =>
      rowOf(this.#sessions[index % this.#sessions.length] ?? ''),
    );
    for (const { id } of rows) sent(id);
    await appendMessages(this.#database, rows);
    this.#notifier.notify(rows.map(({ sessionId }) => sessionId));
  }

  async storeAtRate(perSecond: number, durationMs: number, sent: (id: string) => void) {
    const size = Math.max(1, Math.round(perSecond / 20));
    const everyMs = (size * 1000) / perSecond;
    const began = performance.now();
    let stored = 0;
    for (let at = 0; at < durationMs; at += everyMs) {
      await sleep(Math.max(0, began + at - performance.now()));
      await this.#store(size, sent);
      stored += size;
    }
    return stored;
  }

  async storeAtOnce(count: number): Promise<number> {
    const began = performance.now();
    for (let stored = 0; stored < count; stored += 100) await this.#store(100);
    return (count * 1000) / (performance.now() - began);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#notifier[Symbol.asyncDispose]();
    await this.#database[Symbol.asyncDispose]();
  }
}

export async function startReceiver(came: (id: string) => void) {
  const server = await serve((request, response) => {
    const take = async () => {
      const body = await text(request);
      response.writeHead(204).end();
      came(JSON.parse(body).data.message?.id);
    };
    take().catch(() => response.destroy());
  });
  return { ...server, url: `${server.url}/` };
}

export async function openStream(
  url: string,
  headers: Readonly<Record<string, string>>,
  came: (id: string) => void,
): Promise<Disposable> {
  const request = get(url, { headers });
  const [answer]: IncomingMessage[] = await once(request, 'response');
  if (answer?.statusCode !== 200) throw new Error(`a stream was answered ${answer?.statusCode}`);
  const lines = createInterface({ input: answer });
  // The bench destroys the request at its end.
  lines.on('error', () => {});
  lines.on('line', (line) => {
    if (line.startsWith('data: {"id"')) came(JSON.parse(line.slice('data: '.length)).id);
  });
  return { [Symbol.dispose]: () => void request.destroy() };
}
