import { type Latencies, markdownTable } from '../measure/figures.ts';
import type { GroupUsage } from '../measure/processes.ts';
import type { Failures } from './figures.ts';
import type { ServiceResult } from './run-service.ts';

const NOT_OF_SERVICE = new Set(['npm start', 'people and readers', 'prometheus']);
const PROCESS_HEAD = ['process', 'processes', 'of a core', 'most in 5 s', 'memory, most'];
const LOAD_HEAD = ['what', 'count', 'per second', 'p50', 'p99', 'longest', 'failed'];
const PRINTED_FAULTS = 20;

export function reportOf(result: ServiceResult): string {
  return [
    markdownTable(LOAD_HEAD, loadRows(result)),
    '',
    result.usages.some(({ share }) => !Number.isNaN(share))
      ? markdownTable(PROCESS_HEAD, processRows(result.usages))
      : 'What the processes use is known on Linux only.',
    '',
    lastLine(result),
    ...result.check.faults.slice(0, PRINTED_FAULTS).map((fault) => `✗ ${fault}`),
  ].join('\n');
}

function loadRows(result: ServiceResult): string[][] {
  const { elapsedMs, load, logins } = result;
  const row = (what: string, times: Latencies, failures: Failures | string) => [
    what,
    String(times.count),
    ((times.count * 1000) / elapsedMs).toFixed(1),
    ...[0.5, 0.99, 1].map((part) => inMs(times.percentile(part))),
    typeof failures === 'string' ? failures : textOf(failures),
  ];
  return [
    row('said → with a waiting reader', load.readable, textOf(load.unsaid)),
    row('said → answered by the agent', load.answered, '–'),
    row('a session, or its newest messages', load.reads, textOf(load.readFailures)),
    row('login', logins.latencies, textOf(logins.failures)),
  ];
}

function processRows(usages: readonly GroupUsage[]): string[][] {
  const row = ({ name, processes, share, mostShare, mostMb }: GroupUsage) => [
    name,
    String(processes),
    percent(share),
    percent(mostShare),
    `${mostMb.toFixed(0)} MB`,
  ];
  const service = usages.filter(({ name }) => !NOT_OF_SERVICE.has(name));
  const total = (of: 'mostMb' | 'processes' | 'share') =>
    service.reduce((sum, usage) => sum + usage[of], 0);
  return [
    ...service.map(row),
    [
      'the service together',
      String(total('processes')),
      percent(total('share')),
      '',
      `${total('mostMb').toFixed(0)} MB`,
    ],
    ...usages.filter(({ name }) => NOT_OF_SERVICE.has(name)).map(row),
  ];
}

function lastLine(result: ServiceResult): string {
  const { elapsedMs, load, check, unread, unanswered, lost, alerts } = result;
  const alertText =
    alerts === undefined
      ? 'not watched (MONITORING=1 starts Prometheus, where it is installed)'
      : alerts.join(', ') || 'none';
  return [
    `${(elapsedMs / 60_000).toFixed(1)} minutes`,
    `said ${load.said}`,
    `answered ${load.answered.count}`,
    `stored ${check.stored}`,
    `without a reader ${unread}`,
    `without an answer ${unanswered}`,
    `gaps ${check.gaps} (${(check.gapMs / 1000).toFixed(1)} s)`,
    `lost by recorders ${lost}`,
    `largest spool ${(result.mostSpoolBytes / 1e6).toFixed(1)} MB`,
    `alerts: ${alertText}`,
    `wrong ${check.faults.length}`,
  ].join(' · ');
}

function textOf(failures: Failures): string {
  const all = Object.entries(failures).map(([code, count]) => `${count} ${code}`);
  return all.join(', ') || '0';
}

function inMs(ms: number): string {
  return Number.isNaN(ms) ? '–' : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
