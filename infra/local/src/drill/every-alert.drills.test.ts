import { describe, test } from 'vitest';
import { makeDrillFolder } from '../../testing/drill-folder.ts';
import { isPrometheusInstalled } from '../monitoring/prometheus.ts';
import { drillName } from './drill.ts';
import { startDrillStack } from './drill-stack.ts';
import { DRILLS } from './drills.ts';
import { runDrill } from './run-drill.ts';

const why = (await isPrometheusInstalled(process.env))
  ? ''
  : ' (skipped: Prometheus is not installed)';

describe.skipIf(why !== '').concurrent(`a Prometheus that watches a stack${why}`, () => {
  test.for(DRILLS)(
    '$alert fires for its failure, and no alert of another failure does',
    {
      timeout: 600_000,
    },
    async (drill, { expect, signal }) => {
      await using parts = new AsyncDisposableStack();
      const { folder } = parts.use(await makeDrillFolder(drillName(drill)));
      const env = { ...drill.env, MONITORING_SPEED: '20' };
      const stack = parts.use(await startDrillStack(folder, env, signal));
      const nothing = { broken: () => {}, fires: async () => {} };
      const fired = await runDrill(stack, drill, nothing);
      const allowed = new Set([drill.alert, ...(drill.others ?? [])]);
      expect(fired).toContain(drill.alert);
      expect(fired.filter((name) => !allowed.has(name))).toEqual([]);
    },
  );
});
