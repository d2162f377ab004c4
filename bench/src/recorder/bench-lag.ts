import type { BenchOptions } from '../http/bench-options.ts';
import { median, percentile } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { Ground, Kind } from './ground.ts';
import { Reader, Talkers } from './talkers.ts';

const ROOMS = 10;
const RATES = [10, 100, 500];
const KINDS = ['ours', 'plain'] as const;
const DURATION_MS = 5000;

interface Measured {
  readonly kind: Kind;
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: number;
  readonly missing: number;
}

/** Measures how long after it was said a sentence can be read, and what a thousand of them cost the recorder. */
export async function benchLag(
  ground: Ground,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const measured: Measured[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of KINDS) {
      await progress.during(`Lag, round ${round} of ${rounds}, ${kind}`, async () => {
        measured.push(...(await measure(ground, kind, stop)));
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
    ['a second', 'recorder', 'readable after, p50', 'p99', 'CPU for 1,000', 'missing'],
    rows,
  );
}

async function measure(ground: Ground, kind: Kind, stop: AbortSignal): Promise<Measured[]> {
  const sessions = await ground.openSessions(ROOMS);
  await using recorder = await ground.startRecorder(kind, sessions);
  await using talkers = await Talkers.join(ground, sessions);
  await using reader = new Reader(ground, kind);
  const measured: Measured[] = [];
  await reader.lags(await talkers.talk(10, 1000));
  for (const rate of RATES) {
    stop.throwIfAborted();
    const before = await recorder.usage();
    const said = await talkers.talk(rate, DURATION_MS);
    const lags = await reader.lags(said);
    const after = await recorder.usage();
    measured.push({
      kind,
      rate,
      p50: percentile(lags, 0.5),
      p99: percentile(lags, 0.99),
      cpuMs: ((after.cpuMs - before.cpuMs) / said.size) * 1000,
      missing: said.size - lags.length,
    });
  }
  return measured;
}
