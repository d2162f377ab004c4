import postgres from 'postgres';
import type { BenchOptions } from '../measure/bench-options.ts';
import { percentile } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { Servers } from './servers.ts';
import type { WaitingJob, WaitingSession, Woken } from './waiting-job.ts';

const WOKEN_PER_SECOND = 100;
/** A round is longer than usual, so that it wakes enough readers for a p99. */
const ROUND_FACTOR = 3;

/** Measures what ten waiting readers in each of a thousand sessions cost, and how soon they receive a stored message. */
export async function benchWaiting(
  servers: Servers,
  url: string,
  { rounds, roundMs, progress, stop }: BenchOptions,
): Promise<string> {
  const { address, program } = await servers.startApi(url);
  const readers = await servers.startWaiters(url);
  const ask = async <Answer>(job: WaitingJob) => await readers.ask<Answer>(job);
  const sessions = await waitingSessions(url, servers);
  const idle = await program.usage();
  const count = sessions.reduce((sum, { headers }) => sum + headers.length, 0);
  await progress.during(`Opening ${count.toLocaleString('en')} readers`, async () => {
    await ask({ kind: 'open', address, sessions });
  });
  let peakMb = (await program.usage()).rssMb;
  const rows: string[][] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stop.throwIfAborted();
    const before = await program.usage();
    const began = performance.now();
    const woken = await progress.during(`Waking, round ${round} of ${rounds}`, () =>
      ask<Woken>({ kind: 'wake', perSecond: WOKEN_PER_SECOND, durationMs: ROUND_FACTOR * roundMs }),
    );
    const after = await program.usage();
    peakMb = Math.max(peakMb, after.rssMb);
    const core = (100 * (after.cpuMs - before.cpuMs)) / (performance.now() - began);
    const latency = (part: number) => `${percentile(woken.latenciesMs, part).toFixed(0)} ms`;
    rows.push([
      String(round),
      String(woken.stored),
      String(woken.latenciesMs.length),
      String(woken.refused),
      latency(0.5),
      latency(0.99),
      latency(1),
      `${core.toFixed(0)} %`,
      `${(after.rssMb - idle.rssMb).toFixed(0)} MB`,
    ]);
  }
  const head = [
    'round',
    'stored',
    'received',
    'refused',
    'p50',
    'p99',
    'longest',
    'of a core',
    'above idle',
  ];
  return `${markdownTable(head, rows)}\n\nidle: ${idle.rssMb.toFixed(0)} MB; most above idle: ${(peakMb - idle.rssMb).toFixed(0)} MB`;
}

async function waitingSessions(url: string, servers: Servers): Promise<WaitingSession[]> {
  const sql = postgres(url, { max: 1 });
  try {
    const rows = await sql<{ sessionId: string; members: string[] }[]>`
      select s.id as "sessionId", array_agg(m.user_id::text) as members
      from sessions s join memberships m on m.project_id = s.project_id where s.name like 'waiting %' group by s.id`;
    return rows.map(({ sessionId, members }) => ({
      sessionId,
      headers: members.map((member) => servers.headersOf(member)),
    }));
  } finally {
    await sql.end();
  }
}
