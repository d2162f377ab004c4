import type { BenchOptions } from '../measure/bench-options.ts';
import { median, percentile } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import { Reader, Senders } from './senders.ts';
import type { RecorderKind, Testbed } from './testbed.ts';

const ROOMS = 10;
const RATES = [10, 100, 500, 1000];
const KINDS = ['ours', 'plain'] as const;
const DURATION_MS = 5000;

interface Measured {
  readonly kind: RecorderKind;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: number;
  readonly missing: number;
}

/** Measures how long after sending a message can be read, and how much CPU time a thousand messages cost the recorder. */
export async function benchLag(
  testbed: Testbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const measured: Measured[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of KINDS) {
      await progress.during(`Lag, round ${round} of ${rounds}, ${kind}`, async () => {
        measured.push(...(await measure(testbed, kind, stop)));
      });
    }
  }
  const rows = RATES.flatMap((rate) =>
    KINDS.map((kind) => {
      const runs = measured.filter((run) => run.kind === kind && run.rate === rate);
      const of = (key: 'p50' | 'p99' | 'cpuMs') => median(runs.map((run) => run[key])).toFixed(0);
      const missing = runs.reduce((sum, run) => sum + run.missing, 0);
      return [
        String(rate),
        kind,
        `${of('p50')} ms`,
        `${of('p99')} ms`,
        `${of('cpuMs')} ms`,
        String(missing),
      ];
    }),
  );
  return markdownTable(
    ['per second', 'recorder', 'readable after, p50', 'p99', 'CPU for 1,000', 'missing'],
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
  for (const rate of RATES) {
    stop.throwIfAborted();
    const before = await recorder.usage();
    const sent = await senders.send(rate, DURATION_MS);
    const lags = await reader.lags(sent);
    const after = await recorder.usage();
    measured.push({
      kind,
      rate,
      p50: percentile(lags, 0.5),
      p99: percentile(lags, 0.99),
      cpuMs: ((after.cpuMs - before.cpuMs) / sent.size) * 1000,
      missing: sent.size - lags.length,
    });
  }
  return measured;
}
