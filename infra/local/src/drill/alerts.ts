import * as z from 'zod';

const Answer = z.object({
  data: z.object({
    result: z.array(
      z.object({
        metric: z.record(z.string(), z.string()),
        value: z.tuple([z.number(), z.string()]),
      }),
    ),
  }),
});
const Alerts = z.object({
  data: z.object({
    alerts: z.array(
      z.object({
        state: z.enum(['firing', 'pending']),
        labels: z.looseObject({ alertname: z.string(), severity: z.string() }),
        annotations: z.object({ summary: z.string(), runbook_url: z.string() }),
      }),
    ),
  }),
});

/** An alert that Prometheus shows. */
export type ShownAlert = z.output<typeof Alerts>['data']['alerts'][number];

/** A series of the answer to a query, with its newest value. */
export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns the alerts that fire now, and those that will fire if their condition lasts. */
export async function currentAlerts(prometheusUrl: string): Promise<readonly ShownAlert[]> {
  const answer = await fetch(new URL('/api/v1/alerts', prometheusUrl));
  return Alerts.parse(await answer.json()).data.alerts;
}

/** Returns what Prometheus answers to `query` now. Throws when the query is refused. */
export async function askPrometheus(
  prometheusUrl: string,
  query: string,
): Promise<readonly Series[]> {
  const url = new URL('/api/v1/query', prometheusUrl);
  url.searchParams.set('query', query);
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`);
  const { result } = Answer.parse(await answer.json()).data;
  return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
}

/** Returns the names of the alerts that fired within the last `seconds`, sorted. */
export async function firedAlerts(prometheusUrl: string, seconds: number): Promise<string[]> {
  const query = `count by (alertname) (last_over_time(ALERTS{alertstate="firing"}[${Math.ceil(seconds)}s]))`;
  const fired = await askPrometheus(prometheusUrl, query);
  return fired.flatMap(({ labels }) => labels['alertname'] ?? []).toSorted();
}
