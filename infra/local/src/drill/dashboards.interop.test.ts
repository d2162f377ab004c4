import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sendSignal } from '@session/kit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { makeDrillFolder } from '../../testing/drill-folder.ts';
import { readRepositoryFile } from '../../testing/variables.ts';
import { isPrometheusInstalled } from '../monitoring/prometheus.ts';
import { childrenOf } from '../supervision/process-family.ts';
import { askPrometheus, firedAlerts } from './alerts.ts';
import { type DrillStack, startDrillStack } from './drill-stack.ts';
import { openRoom } from './room.ts';
import { isHealthy } from './run-drill.ts';
import { runSql, selectRows } from './sql.ts';

const pattern = '../../../kubernetes/components/monitoring/dashboards/*.json';
/** Grafana's variable for the id of a session, as a literal of SQL. */
const SESSION = /\$\{session:sqlstring\}/g;
const OfPrometheus = z.object({ expr: z.string() });
const OfDatabase = z.object({ rawSql: z.string() });
const Dashboard = z.object({
  uid: z.string(),
  panels: z.array(
    z.object({
      title: z.string(),
      targets: z.array(z.union([OfPrometheus, OfDatabase])).default([]),
    }),
  ),
});
const why = (await isPrometheusInstalled(process.env))
  ? ''
  : ' (skipped: Prometheus is not installed)';

describe.skipIf(why !== '')(`dashboards on a stack in which people and an agent talk${why}`, () => {
  let stack: DrillStack;
  let sessionId: string;
  let healthySince: number;
  const parts = new AsyncDisposableStack();

  beforeAll(async () => {
    const { signal: stop } = new AbortController();
    const { folder } = parts.use(await makeDrillFolder('dashboards'));
    stack = parts.use(await startDrillStack({ folder, speed: 20, stop }));
    await vi.waitUntil(() => isHealthy(stack), { timeout: 60_000 });
    healthySince = performance.now();
    const { session, room } = parts.use(await openRoom(stack));
    sessionId = session.id;
    await session.startAgent({ role: 'echo-agent', config: { restart: 'on-failure' } });
    await room.say('Good morning');
    // One of the queries shows the answer.
    await vi.waitUntil(() => room.messages.some(({ isAgent }) => isAgent), { timeout: 60_000 });
    // What has a series only once it has happened: a restart, a room that was left, an event that is no message.
    const { api = 0 } = await stack.pids();
    for (const pid of await childrenOf(api)) sendSignal(pid, 'SIGKILL');
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

  test('every query about one session finds its rows, and shows no word of its messages', async () => {
    const queries = (await readPanels()).flatMap(({ title, targets }) =>
      targets.flatMap((target) => ('rawSql' in target ? { title, sql: target.rawSql } : [])),
    );
    expect(queries.length).toBe(6);
    const databaseUrl = await createReader(stack);
    const rows = async (text: string) =>
      await selectRows(databaseUrl, text.replaceAll(SESSION, `'${sessionId}'`));
    await expect
      .poll(async () => JSON.stringify(await rows(queries[5]?.sql ?? '')))
      .toContain('assistant');
    const empty: string[] = [];
    for (const { title, sql } of queries) {
      const found = await rows(sql);
      expect(JSON.stringify(found)).not.toContain('Good morning');
      if (found.length === 0) empty.push(title);
    }
    // Nothing interrupts the recording of this session.
    expect(empty.filter((title) => title !== 'Its gaps')).toEqual([]);
  });

  test('no alert fires', async () => {
    const seconds = (performance.now() - healthySince) / 1000;
    expect(await firedAlerts(stack.prometheusUrl, seconds)).toEqual([]);
  });
});

interface PanelQuery {
  readonly panel: string;
  readonly query: string;
}

/** Creates the role of the guide for dashboards. Returns the URL of the database with it. */
async function createReader(stack: DrillStack): Promise<string> {
  const guide = await readRepositoryFile('docs/operations.md');
  const [, statements = ''] = /```sql\n(create role dashboards [\s\S]+?)```/.exec(guide) ?? [];
  await runSql(stack, statements.replace('…', 'secret'));
  const url = new URL(stack.databaseUrl);
  url.username = 'dashboards';
  url.password = 'secret';
  return url.href;
}

async function readPanels() {
  const panels = [];
  for await (const file of glob(pattern, { cwd: import.meta.dirname })) {
    const text = await readFile(path.join(import.meta.dirname, file), 'utf8');
    const dashboard = Dashboard.parse(JSON.parse(text));
    panels.push(...dashboard.panels.map((panel) => ({ ...panel, uid: dashboard.uid })));
  }
  return panels;
}

/** Returns the queries to Prometheus of all panels, with values for Grafana's variables. */
async function readQueries(): Promise<PanelQuery[]> {
  const panels = await readPanels();
  return panels.flatMap(({ uid, title, targets }) =>
    targets.flatMap((target) =>
      'expr' in target ? { panel: `${uid}: ${title}`, query: withValues(target.expr) } : [],
    ),
  );
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
