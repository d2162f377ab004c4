import { countErasures } from '@session/db';
import { Gauge } from 'prom-client';
import { recentOf, type ServiceMetricsOptions } from './service-figures.ts';

export function addErasureMetrics({
  registry,
  database,
}: ServiceMetricsOptions): (isUp: boolean) => Promise<void> {
  const registers = [registry];
  const erasures = new Gauge({
    name: 'session_erasures',
    help: 'Erasures that are not done: `running`, or `waiting` for recorders.',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Gauge({
    name: 'session_erasures_seconds',
    help: 'The age of the oldest erasure that is not done; 0 without one.',
    registers,
  });
  const counts = recentOf(() => countErasures(database));
  return async (isUp) => {
    const open = isUp ? await counts() : undefined;
    erasures.reset();
    seconds.remove();
    if (!open) return;
    erasures.labels('running').set(open.running);
    erasures.labels('waiting').set(open.waiting);
    seconds.set(open.seconds);
  };
}
