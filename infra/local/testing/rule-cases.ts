/** What raises an alert, and when. */
export interface RuleCase {
  readonly alert: string;
  /** The series that change at the fault, each with its values from then on, in promtool's notation for one scrape after another. */
  readonly fault: Readonly<Record<string, string>>;
  /** The last moment after the fault at which nothing fires. */
  readonly silentUntil: string;
  /** The moment after the fault at which this alert fires, and no other one. */
  readonly firesAt: string;
  /** The labels by which the alert says what it is about, besides its severity. */
  readonly labels?: string;
}

const SCRAPE_SECONDS = 15;
/** The fault comes after so many scrapes, longer than all windows but one of half an hour. */
const HEALTHY_SCRAPES = 70;
const FAULTY_SCRAPES = 240;
/** For a series that is absent, for example because its process does not answer. */
const ABSENT = 'stale _x239';
/** For a counter that grows by one with each scrape. */
const GROWS = '1+1x240';

const API = 'namespace="session-service",container="api",pod="api-0"';
const OTHER_API = API.replace('api-0', 'api-1');
const RECORDER = 'namespace="session-service",container="recorder",pod="recorder-0"';
const OTHER_RECORDER = RECORDER.replace('recorder-0', 'recorder-1');

const lost = (reason: string) =>
  `session_recorder_messages_lost_total{${RECORDER},reason="${reason}"}`;
const requests = (statusClass: string) =>
  `session_http_request_duration_seconds_count{${API},status_class="${statusClass}"}`;
const ends = (reason: string) => `session_agent_ends_total{${API},reason="${reason}"}`;
const up = (process: string) => `up{${process}}`;
const databaseUp = (process: string) => `session_database_up{${process}}`;
const ofRecorder = (metric: string) => `session_recorder_${metric}{${RECORDER}}`;
const unrecorded = (state: string) => `session_unrecorded_sessions{${API},state="${state}"}`;
const recorderUp = (process: string) => `session_recorder_up{${process}}`;

/** The series of a healthy service. */
const HEALTHY: Readonly<Record<string, string>> = {
  [up(API)]: '1+0x70',
  [up(OTHER_API)]: '1+0x70',
  [up(RECORDER)]: '1+0x70',
  [up(OTHER_RECORDER)]: '1+0x70',
  [databaseUp(API)]: '1+0x70',
  [databaseUp(OTHER_API)]: '1+0x70',
  [recorderUp(RECORDER)]: '1+0x70',
  [recorderUp(OTHER_RECORDER)]: '1+0x70',
  [requests('2xx')]: '0+100x70',
  [requests('5xx')]: '0+0x70',
  [unrecorded('waiting')]: '0+0x70',
  [unrecorded('reconnecting')]: '0+0x70',
  [`session_under_recorded_sessions{${API}}`]: '0+0x70',
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
  [ofRecorder('queue_length')]: '0+0x70',
  [`session_recorder_clock_offset_seconds{${RECORDER}}`]: '0+0x70',
  [`session_agent_restarts_total{${API},reason="crashed"}`]: '0+0x70',
  [ends('start_timeout')]: '0+0x70',
  [ends('requested')]: '0+10x70',
  [ends('bad_configuration')]: '0+10x70',
};

/** One case for each alert, with the real times of the rules. */
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
    alert: 'SpoolRefused',
    fault: {
      [ofRecorder('spool_up')]: '0+0x240',
      [ofRecorder('spool_time_to_full_seconds')]: '0+0x240',
      [ofRecorder('queue_length')]: '1+1x240',
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
      [recorderUp(RECORDER)]: '0+0x240',
      [recorderUp(OTHER_RECORDER)]: '0+0x240',
      [requests('5xx')]: GROWS,
    },
    silentUntil: '45s',
    firesAt: '7m',
  },
  {
    alert: 'RequestsFail',
    fault: { [requests('5xx')]: '2+2x240' },
    silentUntil: '4m45s',
    firesAt: '7m',
  },
  {
    alert: 'AgentsRestart',
    fault: { [`session_agent_restarts_total{${API},reason="crashed"}`]: GROWS },
    silentUntil: '1m',
    firesAt: '2m30s',
    labels: '{reason="crashed"}',
  },
  {
    alert: 'AgentsFail',
    fault: { [ends('start_timeout')]: GROWS },
    silentUntil: '15s',
    firesAt: '1m30s',
    labels: '{reason="start_timeout"}',
  },
];

/** Returns promtool's tests of `cases`, on the rules in `rules.json`. */
export function promtoolTests(cases: readonly RuleCase[]): object {
  return {
    rule_files: ['rules.json'],
    evaluation_interval: `${SCRAPE_SECONDS}s`,
    tests: cases.map(promtoolTest),
  };
}

/** Returns the test of a case: nothing fires until a moment, and only this alert at another. */
function promtoolTest({ alert, fault, silentUntil, firesAt, labels }: RuleCase): object {
  const faultAt = HEALTHY_SCRAPES * SCRAPE_SECONDS;
  const names = new Set([...Object.keys(HEALTHY), ...Object.keys(fault)]);
  const at = (after: string) => `${faultAt + seconds(after)}s`;
  const firing = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const own = { labels: `{alertname="${alert}"}`, value: 1 };
  const withLabels = {
    expr: `group without (alertname, alertstate, severity) (ALERTS{alertname="${alert}",alertstate="firing"})`,
    eval_time: at(firesAt),
    exp_samples: [{ labels: labels ?? '{}', value: 1 }],
  };
  return {
    name: alert,
    interval: `${SCRAPE_SECONDS}s`,
    input_series: Array.from(names, (series) => ({
      series,
      // Without a fault, a series goes on as before.
      values: `${HEALTHY[series] ?? '_x70'} ${fault[series] ?? goOn(HEALTHY[series])}`,
    })),
    promql_expr_test: [
      { expr: firing, eval_time: at(silentUntil), exp_samples: [] },
      { expr: firing, eval_time: at(firesAt), exp_samples: [own] },
      withLabels,
    ],
  };
}

/** Returns the values of a healthy series after its first ones. */
function goOn(values = ''): string {
  const [, start = '0', step = '0'] = /^(\d+)\+(\d+)x/.exec(values) ?? [];
  const first = Number(start) + (HEALTHY_SCRAPES + 1) * Number(step);
  return `${first}+${step}x${FAULTY_SCRAPES}`;
}

/** Returns the seconds of a time such as 4m45s. */
function seconds(time: string): number {
  const [, sign = '', minutes = '0', rest = '0'] = /^(-?)(?:(\d+)m)?(?:(\d+)s)?$/.exec(time) ?? [];
  return (Number(minutes) * 60 + Number(rest)) * (sign === '' ? 1 : -1);
}
