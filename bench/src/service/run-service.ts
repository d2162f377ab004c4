import { aborted, pause, StartError } from '@session/kit';
import {
  firedAlerts,
  openEmptyFolder,
  readStackFile,
  runStack,
  type StackFile,
} from '@session/local';
import { type GroupUsage, type ProcessGroup, ProcessMeter } from '../measure/processes.ts';
import type { Crowd } from './crowd.ts';
import type { CrowdEnd } from './crowd-process.ts';
import { LoadFigures } from './figures.ts';
import { Logins } from './logins.ts';
import { prepareRooms } from './prepare.ts';
import { recordersFor, type ServiceOptions } from './service-options.ts';
import { readSpoolFigures, type SpoolFigures } from './spool-figures.ts';

export interface ServiceResult extends CrowdEnd {
  /** How long it was measured: less than asked for if it was stopped. */
  readonly elapsedMs: number;
  readonly load: LoadFigures;
  readonly logins: Pick<Logins, 'failures' | 'latencies'>;
  readonly usages: readonly GroupUsage[];
  readonly mostSpoolBytes: number;
  /** Messages that the recorders report as lost. */
  readonly lost: number;
  readonly alerts: readonly string[] | undefined;
}

export async function runService(options: ServiceOptions): Promise<ServiceResult> {
  const { folder, rooms, agents, loginsPerMinute, progress, stop, forceStop } = options;
  await openEmptyFolder(folder);
  await using parts = new AsyncDisposableStack();
  const recorders = recordersFor(rooms);
  const env = {
    RECORDERS: String(recorders),
    // One account has all rooms and agents.
    AGENT_CAPACITY_PER_ACCOUNT: String(agents),
    AGENT_CAPACITY: String(agents),
    SESSION_CAPACITY_PER_ACCOUNT: String(rooms),
  };
  const began = performance.now();
  const stack = await progress.during(`Starting a stack with ${recorders} recorders`, () =>
    runStack(folder, env, stop),
  );
  const { file } = parts.use(stack);
  const { prometheusUrl } = file;
  const { client, sessionIds, crowd } = await prepareRooms(file, options, parts);
  const load = new LoadFigures();
  // When it is disposed of, the last logins have been answered, and the result contains them.
  await using logins = await Logins.begin(file.apiUrl, 60_000 / loginsPerMinute);
  const measured = await measure(file, crowd, load, options);
  logins.end();
  const forced = aborted(forceStop).then(() => {
    throw new StartError('Stopped.');
  });
  const end = await progress.during('Comparing what was said with the histories', () =>
    Promise.race([crowd.finish(), forced]),
  );
  // What was still on its way when the measurement ended.
  load.add(await crowd.report());
  const seconds = (performance.now() - began) / 1000;
  const alerts =
    prometheusUrl === null
      ? undefined
      : await firedAlerts(prometheusUrl, seconds).catch(() => ['not known: no answer']);
  // Nothing is left to record when the stack ends.
  await progress.during('Closing the sessions', async () => {
    for (const id of sessionIds) await client.sessions.close(id, { signal: forceStop });
  });
  return { ...measured, ...end, load, logins, alerts };
}

async function measure(
  file: StackFile,
  crowd: Crowd,
  load: LoadFigures,
  { folder, rooms, rate, durationMs, sampleMs, progress, stop }: ServiceOptions,
): Promise<Omit<ServiceResult, 'alerts' | 'load' | 'logins' | keyof CrowdEnd>> {
  const meter = new ProcessMeter(async () => groupsOf((await readStackFile(folder)) ?? file));
  const recorderUrls = Object.entries(file.metricsUrls).flatMap(([name, url]) =>
    name.startsWith('recorder') ? url : [],
  );
  const figures: SpoolFigures[] = [];
  const ending = AbortSignal.any([stop, AbortSignal.timeout(durationMs)]);
  await progress.during(`Measuring for ${durationMs / 60_000} minutes`, async (note) => {
    await meter.sample();
    await crowd.talk((1000 * rooms) / rate);
    for (let isOver = false; !isOver; ) {
      isOver = !(await pause(sampleMs, ending));
      await meter.sample();
      load.add(await crowd.report());
      figures.push(await readSpoolFigures(recorderUrls));
      note(`${load.said} said, ${load.answered.count} answered`);
    }
  });
  return {
    elapsedMs: meter.elapsedMs,
    usages: meter.usages(),
    mostSpoolBytes: Math.max(...known(figures.map(({ spoolBytes }) => spoolBytes))),
    lost: Math.max(...known(figures.map(({ lost }) => lost))),
  };
}

function known(values: readonly number[]): number[] {
  return values.filter((value) => !Number.isNaN(value));
}

/** The parts of a stack that are measured separately, and the bench itself. Agents are child processes of the API. */
function groupsOf({ pids }: StackFile): ProcessGroup[] {
  const { supervisor = 0, api = 0, ...others } = pids;
  return [
    { name: 'api', pid: api, part: 'first' },
    ...Object.entries(others).map(([name, pid]) => ({ name, pid, part: 'all' as const })),
    { name: 'agents', pid: api, part: 'started' },
    { name: 'npm start', pid: supervisor, part: 'first' },
    { name: 'people and readers', pid: process.pid, part: 'all', others: [supervisor] },
  ];
}
