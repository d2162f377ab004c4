import type { MessageQueries, RecordingIntervalQueries } from '@session/db';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RecorderHealth } from './recorder-health.ts';

type Observed = Pick<MessageQueries, 'appendMessages'> &
  Pick<RecordingIntervalQueries, 'endInterval' | 'insertInterval'>;

type Counts = Readonly<Record<string, number>>;

/** Statements that count and time what they do, and the registry that holds the figures. */
export interface ObservedQueries<Queries> {
  readonly queries: Queries;
  readonly registry: Registry;
}

/**
 * Returns `queries`, and the registry that counts what they do: the messages that were stored, how long that took, how often
 * a room began to be covered, and why its coverage ended.
 */
export function observeQueries<Queries extends Observed>(
  queries: Queries,
): ObservedQueries<Queries> {
  const registry = new Registry();
  const registers = [registry];
  const stored = new Counter({
    name: 'session_recorder_messages_stored_total',
    help: 'Messages that were stored, including completions of pending messages.',
    registers,
  });
  const flushes = new Histogram({
    name: 'session_recorder_flush_duration_seconds',
    help: 'How long the database took to store one batch of messages.',
    labelNames: ['result'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const connections = new Counter({
    name: 'session_recorder_connections_total',
    help: 'How often a room began to be recorded: for the first time, or again after an interruption.',
    registers,
  });
  const ends = new Counter({
    name: 'session_recorder_disconnections_total',
    help: 'How often the recording of a room ended or was interrupted, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const observed: Observed = {
    async appendMessages(batch, options) {
      const end = flushes.startTimer();
      try {
        const counts = await queries.appendMessages(batch, options);
        end({ result: 'stored' });
        stored.inc(counts.stored);
        return counts;
      } catch (error) {
        end({ result: 'failed' });
        throw error;
      }
    },
    async insertInterval(interval) {
      await queries.insertInterval(interval);
      connections.inc();
    },
    async endInterval(interval) {
      await queries.endInterval(interval);
      ends.inc({ reason: interval.endReason });
    },
  };
  return { queries: { ...queries, ...observed }, registry };
}

/** Adds to `registry` the figures of `health`, read at each scrape, and those of the process. */
export function addRecorderMetrics(registry: Registry, health: () => RecorderHealth): void {
  collectDefaultMetrics({ register: registry });
  const help = {
    session_recorder_sessions:
      'Sessions that the recorder holds, by the state of their connection.',
    session_recorder_queue_length: 'Messages that wait to be stored, in memory or in the spool.',
    session_recorder_spool_bytes: 'Size of the messages in the spool.',
    session_recorder_spool_up: '0 while the disk takes nothing, otherwise 1.',
    session_recorder_up:
      '1 while the recorder can work, 0 while the database is away or the recorder ends.',
    session_recorder_clock_offset_seconds:
      "How far this machine's clock is ahead of the database's; negative: behind.",
    session_recorder_events_skipped_total:
      'Room events that do not belong in the history, by reason.',
    session_recorder_messages_lost_total: 'Messages that did not reach the history, by reason.',
  };
  const show = (name: keyof typeof help, read: () => Counts | number, label?: string) => {
    const Metric = name.endsWith('_total') ? Counter : Gauge;
    registry.registerMetric(
      new Metric({
        name,
        help: help[name],
        labelNames: label === undefined ? [] : [label],
        registers: [],
        collect() {
          // The figures are counted elsewhere: each scrape replaces those of the last.
          this.reset();
          const counts = read();
          if (typeof counts === 'number') this.inc(counts);
          else if (label !== undefined) {
            for (const [value, count] of Object.entries(counts))
              this.inc({ [label]: value }, count);
          }
        },
      }),
    );
  };
  show('session_recorder_sessions', () => health().sessions, 'state');
  show('session_recorder_queue_length', () => health().queueLength);
  show('session_recorder_spool_bytes', () => health().spool.sizeBytes);
  show('session_recorder_spool_up', () => (health().spool.isOk ? 1 : 0));
  show('session_recorder_up', () => (health().status === 'ok' ? 1 : 0));
  show('session_recorder_clock_offset_seconds', () => health().clockOffsetMs / 1000);
  show('session_recorder_events_skipped_total', () => health().skipped, 'reason');
  show('session_recorder_messages_lost_total', () => health().lost, 'reason');
}
