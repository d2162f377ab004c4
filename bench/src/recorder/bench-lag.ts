import { pause } from '@session/kit';
import { markdownTable, median, percentile } from '../measure/figures.ts';
import { cpuMsOf } from '../measure/processes.ts';
import type { MeasuredProgram } from '../measure/program.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { Reader, Senders } from './senders.ts';
import type { RecorderKind, Testbed } from './testbed.ts';

const ROOMS = 10;
const RATES = [10, 100, 200, 500, 1000];
const DURATION_MS = 5000;

interface Measured {
  readonly kind: RecorderKind;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: number;
  /** `cpuMs` without what the idle rooms cost. */
  readonly moreCpuMs: number;
  readonly databaseCpuMs: number;
  readonly missing: number;
}

/** Measures how soon after sending a message can be read, and the recorder's CPU time for a thousand messages. */
export async function benchLag(
  testbed: Testbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const measured: Measured[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of testbed.kinds) {
      await progress.during(`Lag, round ${round} of ${rounds}, ${kind}`, async () => {
        measured.push(...(await measure(testbed, kind, stop)));
      });
    }
  }
  const rows = RATES.flatMap((rate) =>
    testbed.kinds.map((kind) => {
      const runs = measured.filter((run) => run.kind === kind && run.rate === rate);
      const of = (key: Exclude<keyof Measured, 'kind'>) =>
        median(runs.map((run) => run[key])).toFixed(0);
      const missing = runs.reduce((sum, run) => sum + run.missing, 0);
      return [
        String(rate),
        kind,
        `${of('p50')} ms`,
        `${of('p99')} ms`,
        `${of('cpuMs')} ms`,
        `${of('moreCpuMs')} ms`,
        `${of('databaseCpuMs')} ms`,
        String(missing),
      ];
    }),
  );
  return markdownTable(
    [
      'per second',
      'recorder',
      'readable after, p50',
      'p99',
      'CPU for 1,000',
      'without idle',
      'of the database',
      'missing',
    ],
    rows,
  );
}

async function measure(
  testbed: Testbed,
  kind: RecorderKind,
  stop: AbortSignal,
): Promise<Measured[]> {
  const sessions = await testbed.openSessions(ROOMS);
  await using recorder = await testbed.startRecorder(kind, sessions);
  await using senders = await Senders.join(testbed, sessions);
  await using reader = new Reader(testbed, kind);
  const measured: Measured[] = [];
  await reader.lags(await senders.send(10, 1000));
  const cpu = await openCpu(testbed, recorder);
  await pause(DURATION_MS, stop);
  const idle = await cpu();
  for (const rate of RATES) {
    stop.throwIfAborted();
    const began = performance.now();
    const sent = await senders.send(rate, DURATION_MS);
    const lags = await reader.lags(sent);
    const used = await cpu();
    const idleParts = (performance.now() - began) / DURATION_MS;
    const forThousand = (ms: number) => (ms / sent.size) * 1000;
    measured.push({
      kind,
      rate,
      p50: percentile(lags, 0.5),
      p99: percentile(lags, 0.99),
      cpuMs: forThousand(used.recorder),
      moreCpuMs: forThousand(used.recorder - idle.recorder * idleParts),
      databaseCpuMs: forThousand(used.database - idle.database * idleParts),
      missing: sent.size - lags.length,
    });
  }
  return measured;
}

async function openCpu({ sql }: Testbed, recorder: MeasuredProgram) {
  const rows = await sql`
    select pid from pg_stat_activity where application_name = 'postgres.js' or application_name like 'recorder-%'`;
  const pids = rows.map(({ pid }) => Number(pid));
  const read = async () => ({
    recorder: (await recorder.usage()).cpuMs,
    database: await cpuMsOf(pids),
  });
  let before = await read();
  return async () => {
    const now = await read();
    const used = {
      recorder: now.recorder - before.recorder,
      database: now.database - before.database,
    };
    before = now;
    return used;
  };
}
