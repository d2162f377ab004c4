import { pause, StartError } from '@session/kit';
import { readRules, ruleSeconds, speedUp } from '../monitoring/rules.ts';
import {
  currentAlerts,
  describeAlerts,
  firedAlerts,
  listTargets,
  type ShownAlert,
} from './alerts.ts';
import type { Drill } from './drill.ts';
import type { DrillStack } from './drill-stack.ts';

const POLL_MS = 250;
/** How much longer than its rule an alert may take: its metric must show the failure, and Prometheus must scrape it. */
const PATIENCE_MS = 180_000;
/** Long, because a drill that kills agents first starts them one by one. */
const BREAK_LIMIT_MS = 300_000;

export interface DrillSteps {
  /** Called once the stack is broken. The alert is awaited for `limitMs`, of which its rule takes `ruleMs`. */
  broken(this: void, limits: { readonly ruleMs: number; readonly limitMs: number }): void;
  /** Called when the alert fires. Mending begins once this resolves. */
  fires(this: void, alert: ShownAlert): Promise<void>;
  readonly patienceMs?: number;
}

/**
 * Breaks a stack, waits until the alert fires, mends it, and waits until none fires. Returns all that fired. When a
 * step takes too long or `stop` aborts, mends the stack and throws a StartError with what Prometheus shows.
 */
export async function runDrill(
  stack: DrillStack,
  drill: Drill,
  { broken, fires, patienceMs = PATIENCE_MS }: DrillSteps,
): Promise<readonly string[]> {
  const { prometheusUrl, speed } = stack;
  const ruleMs = await ruleTimes(speed);
  const isReady = async () => await isHealthy(stack);
  await until(stack, isReady, patienceMs, 'The new stack is not healthy');
  const began = performance.now();
  {
    await using faults = new AsyncDisposableStack();
    faults.use(await breakInTime(stack, drill));
    const ownMs = ruleMs(drill.alert);
    const limitMs = ownMs + patienceMs;
    broken({ ruleMs: ownMs, limitMs });
    const firing = async () => {
      const alerts = await currentAlerts(prometheusUrl);
      return alerts.find(
        ({ state, labels }) => state === 'firing' && labels.alertname === drill.alert,
      );
    };
    await fires(await until(stack, firing, limitMs, `The alert ${drill.alert} has not fired`));
  }
  const longestMs = Math.max(...[drill.alert, ...(drill.others ?? [])].map(ruleMs));
  const isOver = async () => await isQuiet(stack);
  await until(
    stack,
    isOver,
    longestMs + patienceMs,
    'Although the stack is mended, alerts are left',
  );
  return await firedAlerts(prometheusUrl, (performance.now() - began) / 1000);
}

/** Returns whether all processes are scraped and no alert is active. A slow start may raise alerts, which end by themselves. */
export async function isHealthy(stack: DrillStack): Promise<boolean> {
  return (await isScraped(stack)) && (await isQuiet(stack));
}

async function ruleTimes(speed: number): Promise<(alert: string) => number> {
  const rules = speedUp(await readRules(), speed).groups.flatMap((group) => group.rules);
  const times = new Map(rules.map((rule) => [rule.alert, ruleSeconds(rule) * 1000]));
  return (alert) => times.get(alert) ?? 0;
}

async function breakInTime(stack: DrillStack, drill: Drill): Promise<AsyncDisposable> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), BREAK_LIMIT_MS);
  const stop = AbortSignal.any([stack.stop, limit.signal]);
  await using parts = new AsyncDisposableStack();
  try {
    parts.use(await drill.break({ ...stack, stop }));
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  if (stack.stop.aborted) throw new StartError('Stopped.');
  if (stop.aborted)
    throw new StartError(
      `The drill did not break the stack within ${BREAK_LIMIT_MS / 1000} s: check the logs of the stack.`,
    );
  return parts.move();
}

async function isQuiet({ prometheusUrl }: DrillStack): Promise<boolean> {
  return (await currentAlerts(prometheusUrl)).length === 0;
}

/** Until Prometheus has scraped all processes, the absence of alerts proves nothing. */
async function isScraped({ prometheusUrl }: DrillStack): Promise<boolean> {
  const targets = await listTargets(prometheusUrl);
  return targets.length > 0 && targets.every(({ health }) => health === 'up');
}

async function until<T>(
  { prometheusUrl, stop }: DrillStack,
  condition: () => Promise<T | false | undefined>,
  limitMs: number,
  failure: string,
): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (performance.now() > deadline) {
      const shown = await describeAlerts(prometheusUrl);
      throw new StartError(
        `${failure} after ${(limitMs / 1000).toFixed(0)} s. Prometheus shows: ${shown}.`,
      );
    }
    if (!(await pause(POLL_MS, stop))) throw new StartError('Stopped.');
  }
}
