import { countFollowers } from '@session/db';
import { Gauge } from 'prom-client';
import { recentOf, type ServiceMetricsOptions } from './service-figures.ts';

/** Adds how far webhooks and the search index are behind. The returned function updates the figures, as `addServiceMetrics` describes. */
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
  const webhookCounts = recentOf(() => countFollowers(database, 'webhook'));
  const searchCounts = recentOf(() => countFollowers(database, 'search'));
  return async (isUp) => {
    const [sending, indexing] = isUp ? await Promise.all([webhookCounts(), searchCounts()]) : [];
    webhookSessions.reset();
    for (const metric of [overdue, searchSessions, searchSeconds]) metric.remove();
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
