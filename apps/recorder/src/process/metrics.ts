import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { RecorderQueries } from '../queries.ts';
import { END_REASONS } from './end-reasons.ts';
import { countGaps } from './gap-metrics.ts';
import type { WebhookResult } from './health.ts';
import type { RecorderFigures } from './recorder-figures.ts';
import type { RecorderHealth, SkippedReason } from './recorder-health.ts';
import { measureTurns } from './turn-metrics.ts';

const WEBHOOK_RESULTS: readonly WebhookResult[] = ['taken', 'unsigned', 'failed'];

type Observed = Pick<RecorderQueries, 'appendMessages' | 'endInterval' | 'insertInterval'>;

type Counts = Readonly<Record<string, number>>;

export interface ObservedQueries<Queries> {
  readonly queries: Queries;
  readonly registry: Registry;
}

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
  const conflicts = new Counter({
    name: 'session_recorder_id_conflicts_total',
    help: 'Messages that were stored under a name of their own: a message of another sender has their id.',
    registers,
  });
  const ignored = new Counter({
    name: 'session_recorder_messages_ignored_total',
    help: 'Messages that were not stored: their sender said something else under the same id before.',
    registers,
  });
  const intruded = new Counter({
    name: 'session_recorder_messages_intruded_total',
    help: 'Messages that were not stored: somebody sent them with the token of an agent that had stopped.',
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
  for (const reason of END_REASONS) ends.inc({ reason }, 0);
  for (const result of ['stored', 'failed']) flushes.zero({ result });
  const noteGaps = countGaps(registry);
  const noteTurns = measureTurns(registry);
  const observed: Observed = {
    async appendMessages(batch, options) {
      const end = flushes.startTimer();
      try {
        const counts = await queries.appendMessages(batch, options);
        end({ result: 'stored' });
        stored.inc(counts.stored);
        conflicts.inc(counts.conflicts);
        ignored.inc(counts.ignored.length);
        intruded.inc(counts.intruded);
        noteGaps(counts.gaps);
        noteTurns(batch);
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

const HELP = {
  session_recorder_sessions: 'Sessions that the recorder holds, by the state of their connection.',
  session_recorder_capacity: 'How many sessions the recorder claims before others do.',
  session_recorder_room_limit: 'The most sessions that the recorder may hold.',
  session_recorder_unclaimable_sessions:
    'ACTIVE sessions that no recorder can take, because all are at their limit of rooms.',
  session_recorder_queue_length: 'Messages that wait to be stored, in memory or in the spool.',
  session_recorder_oldest_unstored_message_age_seconds:
    'At most so long ago the oldest message was received that waits to be stored, in memory or in the spool; 0 when none waits.',
  session_recorder_spool_bytes: 'Size of the messages in the spool.',
  session_recorder_spool_limit_bytes: 'How much the spool may take.',
  session_recorder_spool_free_bytes:
    'How much more the spool can take: up to its limit, or what the disk has left; 0 while the disk takes nothing.',
  session_recorder_spool_time_to_full_seconds:
    'When the spool will be full if it grows as in the last minute; `+Inf` while it does not grow.',
  session_recorder_spool_up: '0 while the disk takes nothing, otherwise 1.',
  session_recorder_up:
    '1 while the recorder can work, 0 while the database is away or the recorder ends.',
  session_recorder_database_up: '1 while the database answers this recorder, otherwise 0.',
  session_recorder_clock_offset_seconds:
    "How far this machine's clock is ahead of the database's; negative: behind.",
  session_recorder_events_skipped_total:
    'Room events that do not belong in the history, by reason.',
  session_recorder_messages_lost_total: 'Messages that did not reach the history, by reason.',
  session_recorder_rejected_bytes:
    'Size of `rejected.jsonl`: the messages that the database refused, until they are replayed or removed.',
  session_recorder_joins_total: 'Participants that joined rooms, as this recorder saw it.',
  session_recorder_last_webhook_timestamp_seconds:
    'When this recorder received its last webhook of the media server. Absent before the first one.',
};

/**
 * Reasons that never occurred, and states without a session, are counted as 0, so that each series exists from the
 * start.
 */
const NOTHING_SKIPPED: Readonly<Record<SkippedReason, number>> = {
  audio_chunk: 0,
  empty: 0,
  fault: 0,
  flood: 0,
  partial_transcript: 0,
  recorder: 0,
  tts_control: 0,
  unknown: 0,
};

const NO_SESSIONS = {
  waiting: 0,
  connecting: 0,
  recording: 0,
  reconnecting: 0,
  lost: 0,
  closed: 0,
};

export function addRecorderMetrics(
  registry: Registry,
  health: () => RecorderHealth,
  figures: () => RecorderFigures,
): (result: WebhookResult) => void {
  collectDefaultMetrics({ register: registry });
  const show = (
    name: keyof typeof HELP,
    read: () => Counts | number | undefined,
    label?: string,
  ) => {
    const Metric = name.endsWith('_total') ? Counter : Gauge;
    registry.registerMetric(
      new Metric({
        name,
        help: HELP[name],
        labelNames: label === undefined ? [] : [label],
        registers: [],
        collect() {
          // The figures are counted elsewhere, and each scrape replaces those of the last.
          this.reset();
          const counts = read();
          // A metric without labels is 0 after its reset.
          if (counts === undefined) this.remove();
          else if (typeof counts === 'number') this.inc(counts);
          else if (label !== undefined) {
            for (const [value, count] of Object.entries(counts))
              this.inc({ [label]: value }, count);
          }
        },
      }),
    );
  };
  show('session_recorder_sessions', () => ({ ...NO_SESSIONS, ...health().sessions }), 'state');
  show('session_recorder_capacity', () => figures().capacity);
  show('session_recorder_room_limit', () => health().roomLimit);
  show('session_recorder_unclaimable_sessions', () => health().unclaimableSessions);
  show('session_recorder_queue_length', () => health().queueLength);
  show('session_recorder_spool_bytes', () => health().spool.sizeBytes);
  show('session_recorder_spool_up', () => (health().spool.isOk ? 1 : 0));
  show('session_recorder_up', () => (health().status === 'ok' ? 1 : 0));
  show('session_recorder_clock_offset_seconds', () => health().clockOffsetMs / 1000);
  show(
    'session_recorder_events_skipped_total',
    () => ({ ...NOTHING_SKIPPED, ...health().skipped }),
    'reason',
  );
  show('session_recorder_messages_lost_total', () => health().lost, 'reason');
  show('session_recorder_database_up', () => (figures().isDatabaseOk ? 1 : 0));
  show(
    'session_recorder_oldest_unstored_message_age_seconds',
    () => figures().oldestUnstoredAgeMs / 1000,
  );
  show('session_recorder_spool_limit_bytes', () => figures().spool.limitBytes);
  show('session_recorder_spool_free_bytes', () => figures().spool.freeBytes);
  show('session_recorder_spool_time_to_full_seconds', () => figures().spool.secondsToFull);
  show('session_recorder_rejected_bytes', () => figures().spool.rejectedBytes);
  show('session_recorder_joins_total', () => figures().joins);
  show('session_recorder_last_webhook_timestamp_seconds', () => secondsOf(figures().lastWebhookAt));
  registry.registerMetric(figures().storageDelays);
  const webhooks = new Counter({
    name: 'session_recorder_webhooks_total',
    help: 'Webhooks by result: `taken`; `unsigned`, without a valid signature; `failed`, so that the media server sends it again.',
    labelNames: ['result'],
    registers: [registry],
  });
  for (const result of WEBHOOK_RESULTS) webhooks.inc({ result }, 0);
  return (result) => webhooks.inc({ result });
}

function secondsOf(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}
