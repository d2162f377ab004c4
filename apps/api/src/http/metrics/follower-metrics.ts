import { countFollowers } from '@session/db';
import { Gauge } from 'prom-client';
import { recentOf, type ServiceMetricsOptions } from './service-figures.ts';

export function addFollowerMetrics({
  registry,
  database,
}: ServiceMetricsOptions): (isUp: boolean) => Promise<void> {
  const registers = [registry];
  const webhookSessions = new Gauge({
    name: 'session_webhook_sessions',
    help: 'Sessions in which a webhook is behind, at most 1,000 of each webhook: `due` now, or `waiting` for the next attempt or for the end of a request.',
    labelNames: ['state'],
    registers,
  });
  const overdue = new Gauge({
    name: 'session_webhook_overdue_seconds',
    help: 'For how long the first `due` session of `session_webhook_sessions` has been due.',
    registers,
  });
  const searchSessions = new Gauge({
    name: 'session_search_sessions',
    help: 'Sessions in which the search index is behind, at most 1,000.',
    registers,
  });
  const searchSeconds = new Gauge({
    name: 'session_search_behind_seconds',
    help: 'How far the search index is behind: the age of the newest message in the session of `session_search_sessions` that waits longest.',
    registers,
  });
  const sequenceSessions = new Gauge({
    name: 'session_sequence_sessions',
    help: 'Sessions with new messages whose sequence numbers are not read yet, at most 1,000.',
    registers,
  });
  const sequenceSeconds = new Gauge({
    name: 'session_sequence_behind_seconds',
    help: 'For how long the first session of `session_sequence_sessions` that any process may read has waited.',
    registers,
  });
  const webhookCounts = recentOf(() => countFollowers(database, 'webhook'));
  const searchCounts = recentOf(() => countFollowers(database, 'search'));
  const sequenceCounts = recentOf(() => countFollowers(database, 'sequence'));
  return async (isUp) => {
    const counts = [webhookCounts, searchCounts, sequenceCounts];
    const [sending, indexing, reading] = isUp
      ? await Promise.all(counts.map(async (count) => await count()))
      : [];
    webhookSessions.reset();
    const gauges = [overdue, searchSessions, searchSeconds, sequenceSessions, sequenceSeconds];
    for (const metric of gauges) metric.remove();
    if (reading) {
      sequenceSessions.set(reading.waiting);
      sequenceSeconds.set(reading.overdueSeconds);
    }
    if (sending) {
      const { waiting, due, overdueSeconds } = sending;
      webhookSessions.labels('due').set(due);
      webhookSessions.labels('waiting').set(waiting - due);
      overdue.set(overdueSeconds);
    }
    if (indexing) {
      searchSessions.set(indexing.waiting);
      searchSeconds.set(indexing.overdueSeconds);
    }
  };
}
