import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { makeDrillFolder } from '../../testing/drill-folder.ts';
import { isPrometheusInstalled } from '../monitoring/prometheus.ts';
import { askPrometheus, firedAlerts } from './alerts.ts';
import { type DrillStack, startDrillStack } from './drill-stack.ts';
import { childrenOf } from './freeze.ts';
import { openRoom } from './room.ts';

const pattern = '../../../kubernetes/components/monitoring/dashboards/*.json';
const Dashboard = z.object({
  uid: z.string(),
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.object({ expr: z.string() })).default([]),
    }),
  ),
});
const why = (await isPrometheusInstalled(process.env))
  ? ''
  : ' (skipped: Prometheus is not installed)';

describe.skipIf(why !== '')(`dashboards on a stack in which people and an agent talk${why}`, () => {
  let stack: DrillStack;
  const parts = new AsyncDisposableStack();

  beforeAll(async () => {
    const { signal } = new AbortController();
    const { folder } = parts.use(await makeDrillFolder('dashboards'));
    stack = parts.use(await startDrillStack(folder, { MONITORING_SPEED: '20' }, signal));
    const { session, room } = parts.use(await openRoom(stack));
    await session.startAgent({ role: 'echo-agent', config: { restart: 'on-failure' } });
    await room.say('Good morning');
    // What has a series only once it has happened: a restart, a room that was left, an event that is no message.
    const { api = 0 } = await stack.pids();
    for (const pid of await childrenOf(api)) process.kill(pid, 'SIGKILL');
    await room.say('');
    await (await openRoom(stack))[Symbol.asyncDispose]();
  }, 300_000);

  afterAll(() => parts.disposeAsync());

  test('every query of every panel returns data', { timeout: 300_000 }, async () => {
    const queries = await readQueries();
    expect(queries.length).toBeGreaterThan(40);
    await expect
      .poll(async () => await withoutData(stack, queries), { timeout: 240_000, interval: 2000 })
      .toEqual([]);
  });

  test('no alert fires', async () => {
    expect(await firedAlerts(stack.prometheusUrl, 3600)).toEqual([]);
  });
});

interface PanelQuery {
  readonly panel: string;
  readonly query: string;
}

/** Returns the queries of all panels, with values for Grafana's variables. */
async function readQueries(): Promise<PanelQuery[]> {
  const queries: PanelQuery[] = [];
  for await (const file of glob(pattern, { cwd: import.meta.dirname })) {
    const text = await readFile(path.join(import.meta.dirname, file), 'utf8');
    const { uid, panels } = Dashboard.parse(JSON.parse(text));
    for (const { title, targets } of panels)
      for (const { expr } of targets)
        queries.push({ panel: `${uid}: ${title}`, query: withValues(expr) });
  }
  return queries;
}

function withValues(expr: string): string {
  return expr
    .replaceAll('$namespace', 'session-service')
    .replaceAll('$pod', '.+')
    .replaceAll('$__rate_interval', '5m');
}

/** Returns the queries that have no series. Throws when Prometheus refuses one. */
async function withoutData(
  { prometheusUrl }: DrillStack,
  queries: readonly PanelQuery[],
): Promise<PanelQuery[]> {
  const answers = await Promise.all(
    queries.map(async (panel) => ({
      panel,
      count: (await askPrometheus(prometheusUrl, panel.query)).length,
    })),
  );
  return answers.flatMap(({ panel, count }) => (count === 0 ? [panel] : []));
}
