import { describe, test } from 'vitest';
import { makeDrillFolder } from '../../testing/drill-folder.ts';
import { isPrometheusInstalled } from '../monitoring/prometheus.ts';
import { type AlertRule, readRules, ruleSeconds } from '../monitoring/rules.ts';
import { type Drill, drillName } from './drill.ts';
import { startDrillStack } from './drill-stack.ts';
import { DRILLS } from './drills.ts';
import { runDrill } from './run-drill.ts';

const why = (await isPrometheusInstalled(process.env))
  ? ''
  : ' (skipped: Prometheus is not installed)';

// Several drills run at the same time. The longest ones begin first, so that none of them is left alone at the end.
const rules = (await readRules()).groups.flatMap((group) => group.rules);
const times = new Map(rules.map((rule: AlertRule) => [rule.alert, ruleSeconds(rule)]));
const timeOf = ({ alert }: Drill) => times.get(alert) ?? 0;
const longestFirst = DRILLS.toSorted((one, other) => timeOf(other) - timeOf(one));

/** Each step of a drill has a limit of its own, and says which one it exceeded. */
const LIMIT_MS = 1_200_000;

describe.skipIf(why !== '').concurrent(`a Prometheus that watches a stack${why}`, () => {
  test.for(longestFirst)(
    '$alert fires for its failure, and no alert of another failure does',
    { timeout: LIMIT_MS },
    async (drill, { expect, onTestFinished, signal }) => {
      const rehearsal = rehearse(drill, signal);
      // A drill that is given up mends its stack and stops it.
      onTestFinished(async () => void (await Promise.allSettled([rehearsal])));
      const fired = await rehearsal;
      const allowed = new Set([drill.alert, ...(drill.others ?? [])]);
      expect(fired).toContain(drill.alert);
      expect(fired.filter((name) => !allowed.has(name))).toEqual([]);
    },
  );
});

/**
 * Returns the alerts that fired in a drill on a stack of its own. The stack is removed before, even if `stop` has aborted.
 */
async function rehearse(drill: Drill, stop: AbortSignal): Promise<readonly string[]> {
  await using parts = new AsyncDisposableStack();
  const { folder } = parts.use(await makeDrillFolder(drillName(drill)));
  const stack = parts.use(await startDrillStack({ folder, env: drill.env, speed: 20, stop }));
  return await runDrill(stack, drill, { broken: () => {}, fires: async () => {} });
}
