export interface RuleCase {
  readonly alert: string;
  /** The series that change at the fault, each with its values from then on, in promtool's notation for one scrape after another. */
  readonly fault: Readonly<Record<string, string>>;
  /** The last moment after the fault at which nothing fires. */
  readonly silentUntil: string;
  /** The moment after the fault at which this alert fires, and no other one. */
  readonly firesAt: string;
  /** The labels of the alert apart from its severity. */
  readonly labels?: string;
}

/** For a series that is absent, for example because its process does not answer. */
const ABSENT = 'stale _x239';
/** For a series that is present only at every third scrape. */
const EVERY_THIRD = Array.from({ length: 80 }, () => 'stale stale 80').join(' ');
/** For a counter that grows by one with each scrape. */
const GROWS = '1+1x240';

const API = 'namespace="session-service",container="api",pod="api-0"';
const OTHER_API = API.replace('api-0', 'api-1');
const RECORDER = 'namespace="session-service",container="recorder",pod="recorder-0"';
const OTHER_RECORDER = RECORDER.replace('recorder-0', 'recorder-1');
/** A recorder that starts at the fault. */
const NEW_RECORDER = RECORDER.replace('recorder-0', 'recorder-2');

const lost = (reason: string, process = RECORDER) =>
  `session_recorder_messages_lost_total{${process},reason="${reason}"}`;
const requests = (statusClass: string) =>
  `session_http_request_duration_seconds_count{${API},status_class="${statusClass}"}`;
const ends = (reason: string) => `session_agent_ends_total{${API},reason="${reason}"}`;
const givenUp = `session_webhooks_given_up_total{${API},what="session"}`;
const restarts = (reason: string) => `session_agent_restarts_total{${API},reason="${reason}"}`;
const up = (process: string) => `up{${process}}`;
const databaseUp = (process: string) => `session_database_up{${process}}`;
const ofRecorder = (metric: string) => `session_recorder_${metric}{${RECORDER}}`;
const unrecorded = (state: string) => `session_unrecorded_sessions{${API},state="${state}"}`;
const counted = (process: string) => `session_active_sessions{${process}}`;
const recorderUp = (process: string) => `session_recorder_up{${process}}`;

/** The series of a healthy service, until the fault. */
export const HEALTHY: Readonly<Record<string, string>> = {
  [up(API)]: '1+0x70',
  [up(OTHER_API)]: '1+0x70',
  [up(RECORDER)]: '1+0x70',
  [up(OTHER_RECORDER)]: '1+0x70',
  [databaseUp(API)]: '1+0x70',
  [databaseUp(OTHER_API)]: '1+0x70',
  [recorderUp(RECORDER)]: '1+0x70',
  [recorderUp(OTHER_RECORDER)]: '1+0x70',
  [`session_database_replacements{${API}}`]: '0+0x70',
  [requests('2xx')]: '0+100x70',
  [requests('5xx')]: '0+0x70',
  [unrecorded('waiting')]: '0+0x70',
  [unrecorded('reconnecting')]: '0+0x70',
  [`session_under_recorded_sessions{${API}}`]: '0+0x70',
  [counted(API)]: '80+0x70',
  [counted(OTHER_API)]: '80+0x70',
  [`session_recorder_sessions{${RECORDER},state="recording"}`]: '80+0x70',
  [ofRecorder('capacity')]: '100+0x70',
  [ofRecorder('oldest_unstored_message_age_seconds')]: '0+0x70',
  [ofRecorder('spool_bytes')]: '0+0x70',
  [ofRecorder('spool_limit_bytes')]: '1000+0x70',
  [ofRecorder('spool_time_to_full_seconds')]: '1000000+0x70',
  [ofRecorder('rejected_bytes')]: '0+0x70',
  [ofRecorder('joins_total')]: '0+1x70',
  [`session_recorder_webhooks_total{${RECORDER},result="taken"}`]: '0+1x70',
  [`session_clock_offset_seconds{${API}}`]: '0+0x70',
  [lost('refused')]: '0+0x70',
  [lost('shed')]: '0+0x70',
  [lost('unsaved')]: '0+0x70',
  [ofRecorder('spool_up')]: '1+0x70',
  [`session_recorder_clock_offset_seconds{${RECORDER}}`]: '0+0x70',
  [restarts('crashed')]: '0+0x70',
  [restarts('evicted')]: '0+0x70',
  [givenUp]: '0+0x70',
  [`session_webhook_overdue_seconds{${API}}`]: '0+0x70',
  [ends('start_timeout')]: '0+0x70',
  [ends('requested')]: '0+10x70',
  [ends('bad_configuration')]: '0+10x70',
};

/** At least one case for each alert, with the real times of the rules. */
export const CASES: readonly RuleCase[] = [
  {
    alert: 'NoRecorder',
    fault: { [recorderUp(RECORDER)]: '0+0x240', [recorderUp(OTHER_RECORDER)]: ABSENT },
    silentUntil: '45s',
    firesAt: '90s',
  },
  {
    alert: 'SessionsUnrecorded',
    fault: { [unrecorded('waiting')]: '1+0x240', [unrecorded('reconnecting')]: '1+0x240' },
    silentUntil: '45s',
    firesAt: '90s',
  },
  {
    alert: 'SessionsUnderRecorded',
    fault: { [`session_under_recorded_sessions{${API}}`]: '1+0x240' },
    silentUntil: '4m45s',
    firesAt: '5m30s',
  },
  {
    alert: 'SessionsUncounted',
    // One API never counts, and the other one at every third scrape.
    fault: { [counted(API)]: ABSENT, [counted(OTHER_API)]: EVERY_THIRD },
    silentUntil: '3m45s',
    firesAt: '7m',
  },
  {
    alert: 'RecordersFull',
    fault: { [`session_recorder_sessions{${RECORDER},state="recording"}`]: '95+0x240' },
    silentUntil: '9m45s',
    firesAt: '10m30s',
  },
  {
    alert: 'MessagesWait',
    fault: { [ofRecorder('oldest_unstored_message_age_seconds')]: '15+15x240' },
    silentUntil: '1m45s',
    firesAt: '2m30s',
    labels: `{${RECORDER}}`,
  },
  {
    alert: 'SpoolFills',
    fault: {
      [ofRecorder('spool_bytes')]: '100+10x240',
      [ofRecorder('spool_time_to_full_seconds')]: '3000-1x240',
    },
    silentUntil: '45s',
    firesAt: '90s',
    labels: `{${RECORDER}}`,
  },
  {
    alert: 'MessagesRefused',
    fault: { [ofRecorder('rejected_bytes')]: '100+0x240', [lost('refused')]: '1+0x240' },
    silentUntil: '-15s',
    firesAt: '15s',
    labels: `{${RECORDER}}`,
  },
  {
    alert: 'WebhooksSilent',
    fault: { [`session_recorder_webhooks_total{${RECORDER},result="taken"}`]: '71+0x240' },
    silentUntil: '34m',
    firesAt: '36m',
  },
  {
    alert: 'MessagesLost',
    fault: { [lost('shed')]: '1+0x240' },
    silentUntil: '-15s',
    firesAt: '15s',
    labels: `{${RECORDER},reason="shed"}`,
  },
  {
    alert: 'MessagesLost',
    fault: { [lost('shed', NEW_RECORDER)]: '1+0x240' },
    silentUntil: '-15s',
    firesAt: '15s',
    labels: `{${NEW_RECORDER},reason="shed"}`,
  },
  {
    alert: 'SpoolRefused',
    fault: {
      [ofRecorder('spool_up')]: '0+0x240',
      [ofRecorder('spool_time_to_full_seconds')]: '0+0x240',
    },
    silentUntil: '45s',
    firesAt: '90s',
    labels: `{${RECORDER}}`,
  },
  {
    alert: 'ClockWrong',
    fault: { [`session_recorder_clock_offset_seconds{${RECORDER}}`]: '-6+0x240' },
    silentUntil: '4m45s',
    firesAt: '5m30s',
    labels: `{${RECORDER}}`,
  },
  {
    alert: 'NoApi',
    fault: {
      [up(API)]: '0+0x240',
      [up(OTHER_API)]: ABSENT,
      [databaseUp(API)]: ABSENT,
      [databaseUp(OTHER_API)]: ABSENT,
      [counted(API)]: ABSENT,
      [counted(OTHER_API)]: ABSENT,
      [requests('2xx')]: ABSENT,
      [requests('5xx')]: ABSENT,
    },
    silentUntil: '45s',
    firesAt: '90s',
  },
  {
    alert: 'ProcessDown',
    fault: { [up(RECORDER)]: '0+0x240', [recorderUp(RECORDER)]: ABSENT },
    silentUntil: '4m45s',
    firesAt: '5m30s',
    labels: `{${RECORDER}}`,
  },
  {
    alert: 'DatabaseAway',
    fault: {
      [databaseUp(API)]: '0+0x240',
      [databaseUp(OTHER_API)]: '0+0x240',
      [counted(API)]: ABSENT,
      [counted(OTHER_API)]: ABSENT,
      [recorderUp(RECORDER)]: '0+0x240',
      [recorderUp(OTHER_RECORDER)]: '0+0x240',
      [requests('5xx')]: GROWS,
    },
    silentUntil: '45s',
    firesAt: '7m',
  },
  {
    alert: 'DatabaseReplaced',
    fault: { [`session_database_replacements{${API}}`]: '1+0x240' },
    silentUntil: '-15s',
    firesAt: '15s',
  },
  {
    alert: 'RequestsFail',
    fault: { [requests('5xx')]: '2+2x240' },
    silentUntil: '4m45s',
    firesAt: '7m',
  },
  {
    alert: 'AgentsRestart',
    fault: { [restarts('crashed')]: GROWS },
    silentUntil: '2m',
    firesAt: '3m30s',
    labels: '{reason="crashed"}',
  },
  {
    alert: 'AgentsFail',
    fault: { [ends('start_timeout')]: GROWS },
    silentUntil: '15s',
    firesAt: '1m30s',
    labels: '{reason="start_timeout"}',
  },
  {
    alert: 'WebhooksGivenUp',
    fault: { [givenUp]: '1+0x240' },
    silentUntil: '-15s',
    firesAt: '15s',
  },
  {
    alert: 'WebhooksOverdue',
    fault: { [`session_webhook_overdue_seconds{${API}}`]: '61+15x240' },
    silentUntil: '9m45s',
    firesAt: '10m30s',
  },
];

/** Changes that operators make, or that end by themselves, and that raise no alert: the series that change, by name. */
export const HARMLESS: Readonly<Record<string, RuleCase['fault']>> = {
  'an API of twenty agents, which are its processes, is restarted': {
    [restarts('evicted')]: '20+0x240',
  },
  'the APIs are restarted, and do not count for their first two minutes': {
    [up(API)]: '0 0 1+0x238',
    [up(OTHER_API)]: '0 0 1+0x238',
    [databaseUp(API)]: 'stale _ 1+0x238',
    [databaseUp(OTHER_API)]: 'stale _ 1+0x238',
    [counted(API)]: 'stale _x9 80+0x230',
    [counted(OTHER_API)]: 'stale _x9 80+0x230',
  },
  'a backup holds up every third count': {
    [counted(API)]: Array.from({ length: 80 }, () => '80 80 stale').join(' '),
    [counted(OTHER_API)]: ABSENT,
  },
};
