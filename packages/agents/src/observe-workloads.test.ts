import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import type { AgentObservation, Workload } from './launcher.ts';
import { observeWorkloads } from './observe-workloads.ts';

const running: Workload = { phase: 'running' };
const absent: Workload = { phase: 'absent' };

test('existing workloads, then synced, then each change in order', async () => {
  const events = new EventEmitter();
  const stop = new AbortController();
  const existing = [observationOf('a1', running), observationOf('a2', running)];
  const observations = observeWorkloads(existing, events, stop.signal);
  expect(await take(observations, 3)).toEqual([...existing, { type: 'synced' }]);
  const changes = [observationOf('a2', absent), observationOf('a3', running)];
  for (const change of changes) events.emit('change', change);
  expect(await take(observations, 2)).toEqual(changes);
  stop.abort();
  expect(await observations.next()).toEqual({ done: true, value: undefined });
});

test('a change while the existing workloads are read is not missed', async () => {
  const events = new EventEmitter();
  const late = observationOf('a1', absent);
  const observations = observeWorkloads(
    [observationOf('a1', running), observationOf('a2', running)],
    events,
    new AbortController().signal,
  );
  await observations.next();
  events.emit('change', late);
  expect(await take(observations, 3)).toEqual([
    observationOf('a2', running),
    { type: 'synced' },
    late,
  ]);
  await observations.return(undefined);
});

test('an observer that ends leaves no listener behind', async () => {
  const events = new EventEmitter();
  const stop = new AbortController();
  const observers = [
    observeWorkloads([], events, stop.signal),
    observeWorkloads([], events, stop.signal),
  ];
  for (const observer of observers) await observer.next();
  expect(events.listenerCount('change')).toBe(2);
  await observers[0]?.return(undefined);
  stop.abort();
  await observers[1]?.next();
  expect(events.listenerCount('change')).toBe(0);
});

test('a failure of the launcher is thrown, so that its caller observes again', async () => {
  const events = new EventEmitter();
  const observations = observeWorkloads([], events, new AbortController().signal);
  await observations.next();
  const next = observations.next();
  events.emit('error', new Error('the watch is broken'));
  await expect(next).rejects.toThrow('the watch is broken');
});

function observationOf(workloadId: string, workload: Workload) {
  return { type: 'workload', workloadId, workload } as const;
}

async function take(
  observations: AsyncGenerator<AgentObservation>,
  count: number,
): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) taken.push((await observations.next()).value);
  return taken;
}
