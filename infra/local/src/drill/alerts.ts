import { StartError } from '@session/kit';
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

const Targets = z.object({
  data: z.object({
    activeTargets: z.array(
      z.object({ health: z.string(), labels: z.looseObject({ pod: z.string() }) }),
    ),
  }),
});

export type ShownAlert = z.output<typeof Alerts>['data']['alerts'][number];

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export async function currentAlerts(prometheusUrl: string): Promise<readonly ShownAlert[]> {
  const answer = await get(new URL('/api/v1/alerts', prometheusUrl));
  return Alerts.parse(await answer.json()).data.alerts;
}

export interface Target {
  readonly name: string;
  readonly health: string;
}

export async function listTargets(prometheusUrl: string): Promise<readonly Target[]> {
  const answer = await get(new URL('/api/v1/targets', prometheusUrl));
  const { activeTargets } = Targets.parse(await answer.json()).data;
  return activeTargets.map(({ health, labels }) => ({ name: labels.pod, health }));
}

export async function askPrometheus(
  prometheusUrl: string,
  query: string,
): Promise<readonly Series[]> {
  const url = new URL('/api/v1/query', prometheusUrl);
  url.searchParams.set('query', query);
  const answer = await get(url);
  if (!answer.ok) throw new Error(`${query}: ${await answer.text()}`);
  const { result } = Answer.parse(await answer.json()).data;
  return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
}

export async function describeAlerts(prometheusUrl: string): Promise<string> {
  const alerts = await currentAlerts(prometheusUrl);
  const shown = alerts.map(({ labels, state }) => `${labels.alertname} (${state})`);
  const targets = await listTargets(prometheusUrl);
  const missing = targets.flatMap(({ name, health }) =>
    health === 'up' ? [] : [`no answer of ${name}`],
  );
  return [...new Set([...shown, ...missing])].join(', ') || 'no alert';
}

export async function firedAlerts(prometheusUrl: string, seconds: number): Promise<string[]> {
  const query = `count by (alertname) (last_over_time(ALERTS{alertstate="firing"}[${Math.floor(seconds * 1000)}ms]))`;
  const fired = await askPrometheus(prometheusUrl, query);
  return fired.flatMap(({ labels }) => labels['alertname'] ?? []).toSorted();
}

async function get(url: URL): Promise<Response> {
  return await fetch(url).catch((cause: unknown) => {
    throw new StartError(`Prometheus does not answer at ${url.origin}: check its log.`, {
      cause,
    });
  });
}
