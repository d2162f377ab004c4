import { StartError } from '@session/kit';
import { serve } from '@session/testing/serve';
import { expect, onTestFinished, test } from 'vitest';
import type { Drill } from './drill.ts';
import type { DrillStack } from './drill-stack.ts';
import { runDrill } from './run-drill.ts';

type Alert = readonly [name: string, state: 'firing' | 'pending'];

interface BrokenStack {
  readonly stack: DrillStack;
  readonly drill: Drill;
  readonly events: string[];
}

/** Returns a stack whose Prometheus shows `alerts` while it is broken, and `left` afterwards. No recorder answers then. */
async function breakable(
  alerts: readonly Alert[],
  left: readonly Alert[] = [],
  stop = new AbortController().signal,
): Promise<BrokenStack> {
  const events: string[] = [];
  const shown = () => (events.at(-1) === 'broken' ? alerts : events.length > 0 ? left : []);
  const server = await serve(({ url = '' }, response) => {
    const health = events.at(-1) === 'broken' ? 'down' : 'up';
    const answers = { alerts: listed(shown()), targets: targets(health), query: FIRED };
    const name = new URL(url, 'http://prometheus').pathname.split('/').at(-1);
    response.end(JSON.stringify({ data: new Map(Object.entries(answers)).get(name ?? '') }));
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return {
    events,
    stack: {
      folder: '',
      apiUrl: '',
      databaseUrl: '',
      prometheusUrl: server.url,
      speed: 20,
      stop,
      pids: async () => ({}),
    },
    drill: {
      alert: 'Flood',
      breaks: '',
      mends: '',
      async break() {
        events.push('broken');
        return { [Symbol.asyncDispose]: async () => void events.push('mended') };
      },
    },
  };
}

function listed(alerts: readonly Alert[]): object {
  return {
    alerts: alerts.map(([alertname, state]) => ({
      state,
      labels: { alertname, severity: 'critical' },
      annotations: { summary: '', runbook_url: '' },
    })),
  };
}

function targets(health: string): object {
  const all = [
    { health: 'up', labels: { pod: 'api' } },
    { health, labels: { pod: 'recorder-1' } },
  ];
  return { activeTargets: all };
}

/** The answer to the question which alerts fired. */
const FIRED = { result: [{ metric: { alertname: 'Flood' }, value: [0, '1'] }] };

const steps = { broken: () => {}, fires: async () => {}, patienceMs: 0 };

test('an alert that does not fire ends the drill, which says what Prometheus shows and mends the stack', async () => {
  const { stack, drill, events } = await breakable([
    ['Flood', 'pending'],
    ['Drought', 'firing'],
  ]);
  const message =
    'The alert Flood has not fired after 0 s. Prometheus shows: Flood (pending), Drought (firing), no answer of recorder-1.';
  await expect(runDrill(stack, drill, steps)).rejects.toThrow(new StartError(message));
  expect(events).toEqual(['broken', 'mended']);
});

test('an alert that is left ends the drill, which names it', async () => {
  const { stack, drill, events } = await breakable([['Flood', 'firing']], [['Flood', 'firing']]);
  await expect(runDrill(stack, drill, steps)).rejects.toThrow(/alerts are left .*Flood \(firing\)/);
  expect(events).toEqual(['broken', 'mended']);
});

test('a drill that is stopped mends the stack, also while it is being broken', async () => {
  const control = new AbortController();
  const { stack, drill, events } = await breakable([], [], control.signal);
  const patienceMs = 60_000;
  const broken = () => control.abort();
  await expect(runDrill(stack, drill, { ...steps, patienceMs, broken })).rejects.toThrow('Stopped');
  const early = new AbortController();
  const stoppedEarly: Drill = {
    ...drill,
    async break(own) {
      early.abort();
      return await drill.break(own);
    },
  };
  const other = { ...stack, stop: early.signal };
  await expect(runDrill(other, stoppedEarly, steps)).rejects.toThrow('Stopped');
  expect(events).toEqual(['broken', 'mended', 'broken', 'mended']);
});

test('an alert that fires and goes is reported with all that fired', async () => {
  const { stack, drill, events } = await breakable([['Flood', 'firing']]);
  expect(await runDrill(stack, drill, steps)).toEqual(['Flood']);
  expect(events).toEqual(['broken', 'mended']);
});
