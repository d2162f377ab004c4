import { pause, StartError } from '@session/kit';
import { askPrometheus, currentAlerts, firedAlerts, type ShownAlert } from './alerts.ts';
import type { Drill } from './drill.ts';
import type { DrillStack } from './drill-stack.ts';

const POLL_MS = 250;

/** What a drill shows, in order. */
export interface DrillSteps {
  /** The stack is broken. */
  broken(this: void): void;
  /** The alert fires. When this resolves, the stack is mended. */
  fires(this: void, alert: ShownAlert): Promise<void>;
}

/**
 * Breaks a stack, waits until the alert fires, mends the stack, and waits until no alert fires. Returns the names of all alerts
 * that fired meanwhile. Throws a StartError when the stack's `stop` aborts; the stack is mended first.
 */
export async function runDrill(
  stack: DrillStack,
  drill: Drill,
  { broken, fires }: DrillSteps,
): Promise<readonly string[]> {
  const { prometheusUrl, stop } = stack;
  await until(async () => (await isScraped(stack)) && (await isQuiet(stack)), stop);
  const began = performance.now();
  {
    await using faults = new AsyncDisposableStack();
    faults.use(await drill.break(stack));
    broken();
    const alert = await until(async () => {
      const alerts = await currentAlerts(prometheusUrl);
      return alerts.find(
        ({ state, labels }) => state === 'firing' && labels.alertname === drill.alert,
      );
    }, stop);
    await fires(alert);
  }
  await until(() => isQuiet(stack), stop);
  return await firedAlerts(prometheusUrl, (performance.now() - began) / 1000);
}

/** Whether no alert fires, and none will. */
async function isQuiet({ prometheusUrl }: DrillStack): Promise<boolean> {
  return (await currentAlerts(prometheusUrl)).length === 0;
}

/** Whether Prometheus has scraped all processes: before, absent metrics say nothing. */
async function isScraped({ prometheusUrl }: DrillStack): Promise<boolean> {
  const targets = await askPrometheus(prometheusUrl, 'up');
  return targets.length > 0 && targets.every(({ value }) => value === 1);
}

async function until<T>(
  condition: () => Promise<T | false | undefined>,
  stop: AbortSignal,
): Promise<T> {
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (!(await pause(POLL_MS, stop))) throw new StartError('Stopped.');
  }
}
