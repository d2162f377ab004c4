import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { appendMessages, bind, openDatabase } from '@session/db';
import { openHistory } from '@session/recorder/history';
import { openTraces, readTraceConfig } from '@session/traces';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';

// Stores synthetic messages in its own process, so that only their cost is measured.

export interface QueueJob {
  /** `queue`: like the recorder. `insert`: one statement per message, one after another. */
  readonly method: 'insert' | 'queue';
  readonly sessions: readonly string[];
  readonly count: number;
}

export interface QueueResult {
  readonly elapsedMs: number;
  /** CPU time of all threads of the process. */
  readonly cpuMs: number;
}

const database = openDatabase(process.env['DATABASE_URL'] ?? '', { connections: 1 });
const host = { serviceName: 'bench', instanceId: uuidv7() };
const traces = await openTraces(readTraceConfig(process.env), host);
process.on('message', (job: QueueJob | 'usage') => {
  if (job !== 'usage') void run(job).then((result) => process.send?.(result));
});
process.send?.('ready');

async function run({ method, sessions, count }: QueueJob): Promise<QueueResult> {
  const messages = Array.from({ length: count }, (_, index) => ({
    id: uuidv7(),
    sessionId: sessions[index % sessions.length] ?? '',
    role: 'user' as const,
    status: 'complete' as const,
    kind: 'text' as const,
    content: `A sentence of middling length, as people say them; this is number ${index}.`,
    metadata: { kind: 'text' as const, participant: null, source: 'user_text', rawId: 'x' },
    receivedAt: Date.now(),
  }));
  const queries = bind(database, { appendMessages });
  await appendMessages(database, []);
  const from = performance.now();
  const cpu = process.cpuUsage();
  if (method === 'queue') await throughQueue(messages);
  else {
    for (const { sessionId, content } of messages) {
      await database.sql`insert into plain_messages (session_id, content) values (${sessionId}, ${content})`;
    }
  }
  const { user, system } = process.cpuUsage(cpu);
  return { elapsedMs: performance.now() - from, cpuMs: (user + system) / 1000 };

  async function throughQueue(all: typeof messages): Promise<void> {
    const spoolFolder = await mkdtemp(path.join(tmpdir(), 'bench-queue-'));
    const options = {
      queries,
      reportLoss: async () => {},
      log: pino({ level: 'silent' }),
      timing: { flushMs: 50, spoolMs: 60_000, refuseMs: 600_000 },
      spoolFolder,
      spoolBytes: 2 ** 30,
      traces,
    };
    await using writer = await openHistory(options);
    for (const message of all) writer.push(message);
    await writer.end(new AbortController().signal);
    await rm(spoolFolder, { recursive: true });
  }
}
