import { HEALTHY, type RuleCase } from './rule-cases.ts';

const SCRAPE_SECONDS = 15;
/** The fault comes after this many scrapes, later than all windows except one of half an hour. */
const HEALTHY_SCRAPES = 70;
const FAULTY_SCRAPES = 240;

/** Returns promtool's tests of `cases`, and that `harmless` changes raise nothing, on the rules in `rules.json`. */
export function promtoolTests(
  cases: readonly RuleCase[],
  harmless: Readonly<Record<string, RuleCase['fault']>>,
): object {
  const quiet = Object.entries(harmless).map(([name, change]) => quietTest(name, change));
  return {
    rule_files: ['rules.json'],
    evaluation_interval: `${SCRAPE_SECONDS}s`,
    tests: [...cases.map(promtoolTest), ...quiet],
  };
}

/** Returns the test that nothing fires for an hour. */
function quietTest(name: string, change: RuleCase['fault']): object {
  const firing = 'count by (alertname) (last_over_time(ALERTS{alertstate="firing"}[1h]))';
  const eval_time = `${(HEALTHY_SCRAPES + FAULTY_SCRAPES) * SCRAPE_SECONDS}s`;
  const promql_expr_test = [{ expr: firing, eval_time, exp_samples: [] }];
  return { ...seriesOf(name, change), promql_expr_test };
}

/** Returns the test of a case: nothing fires until a moment, and only this alert at another. */
function promtoolTest({ alert, fault, silentUntil, firesAt, labels }: RuleCase): object {
  const faultAt = HEALTHY_SCRAPES * SCRAPE_SECONDS;
  const at = (after: string) => `${faultAt + seconds(after)}s`;
  const firing = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const own = { labels: `{alertname="${alert}"}`, value: 1 };
  const withLabels = {
    expr: `group without (alertname, alertstate, severity) (ALERTS{alertname="${alert}",alertstate="firing"})`,
    eval_time: at(firesAt),
    exp_samples: [{ labels: labels ?? '{}', value: 1 }],
  };
  return {
    ...seriesOf(alert, fault),
    promql_expr_test: [
      { expr: firing, eval_time: at(silentUntil), exp_samples: [] },
      { expr: firing, eval_time: at(firesAt), exp_samples: [own] },
      withLabels,
    ],
  };
}

function seriesOf(name: string, fault: RuleCase['fault']): object {
  const names = new Set([...Object.keys(HEALTHY), ...Object.keys(fault)]);
  return {
    name,
    interval: `${SCRAPE_SECONDS}s`,
    input_series: Array.from(names, (series) => ({
      series,
      // A series without a fault continues as before.
      values: `${HEALTHY[series] ?? '_x70'} ${fault[series] ?? goOn(HEALTHY[series])}`,
    })),
  };
}

/** Returns the values of a healthy series after its first ones. */
function goOn(values = ''): string {
  const [, start = '0', step = '0'] = /^(\d+)\+(\d+)x/.exec(values) ?? [];
  const first = Number(start) + (HEALTHY_SCRAPES + 1) * Number(step);
  return `${first}+${step}x${FAULTY_SCRAPES}`;
}

function seconds(time: string): number {
  const [, sign = '', minutes = '0', rest = '0'] = /^(-?)(?:(\d+)m)?(?:(\d+)s)?$/.exec(time) ?? [];
  return (Number(minutes) * 60 + Number(rest)) * (sign === '' ? 1 : -1);
}
