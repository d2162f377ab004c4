import { readFile } from 'node:fs/promises';

export type MetricsSection = 'API' | 'Every process' | 'Recorder' | 'Whole service';

/** The metrics that a process serves, and those that the page describes, as rows of the page's tables, in the order of names. */
export interface MetricRows {
  readonly served: string[];
  readonly documented: string[];
}

const PAGE = new URL('../../../docs/metrics.md', import.meta.url);
const ROW = /^\| `(?<name>\w+)` \| (?<type>\w+) \| (?<labels>[^|]*?) ?\| (?<help>[^|]+) \|$/;
const HEADER = /^# (?<what>HELP|TYPE) (?<name>\w+) (?<value>.+)$/;
const SAMPLE = /^\w+\{(?<labels>.*)\} \S+$/;
const LABEL = /(?<name>\w+)="(?<value>(?:[^"\\]|\\.)*)"/g;

interface Metric {
  readonly name: string;
  type: string;
  help: string;
  /** Undefined while the metric has no sample with labels: its labels are not known then. */
  labels: Set<string> | undefined;
}

/**
 * Compares `text`, the answer of `/metrics`, with these sections of `docs/metrics.md`. The labels of a metric without samples
 * count as documented. Outside Linux, Node.js has fewer figures of a process: the missing ones count as served.
 */
export async function compareWithMetricsPage(
  text: string,
  sections: readonly MetricsSection[],
): Promise<MetricRows> {
  const page = await readFile(PAGE, 'utf8');
  const rows = new Map<string, string>();
  const labels = new Map<string, string>();
  for (const section of sections) {
    for (const line of linesOf(page, section)) {
      const groups = ROW.exec(line)?.groups;
      if (!groups) continue;
      rows.set(groups['name'] ?? '', line);
      labels.set(groups['name'] ?? '', groups['labels'] ?? '');
    }
  }
  const metrics = metricsIn(text);
  const served = metrics.map((metric) => rowOf(metric, labels.get(metric.name)));
  const names = new Set(metrics.map(({ name }) => name));
  const missing = [...rows].filter(([name]) => mayBeMissing(name) && !names.has(name));
  const all = [...served, ...missing.map(([, row]) => row)];
  return { served: all.toSorted(), documented: [...rows.values()].toSorted() };
}

/** Returns every value that a label has in `text`, the answer of `/metrics`. */
export function labelValuesIn(text: string): string[] {
  const labels = text.split('\n').flatMap((line) => SAMPLE.exec(line)?.groups?.['labels'] ?? []);
  return labels.flatMap((all) => pairsIn(all).map(({ value }) => value));
}

/** Returns our counters that have no series in `text`: `increase` would not see their first event. */
export function countersWithoutSeries(text: string): string[] {
  const counters = metricsIn(text).filter(
    ({ name, type }) => type === 'counter' && name.startsWith('session_'),
  );
  return counters.filter(({ labels }) => labels === undefined).map(({ name }) => name);
}

function mayBeMissing(name: string): boolean {
  return process.platform !== 'linux' && name.startsWith('process_');
}

function linesOf(page: string, section: string): string[] {
  const [, text = ''] = page.split(`\n## ${section}\n`);
  return (text.split('\n## ')[0] ?? '').split('\n');
}

function metricsIn(text: string): Metric[] {
  const metrics: Metric[] = [];
  for (const line of text.split('\n')) {
    const header = HEADER.exec(line)?.groups;
    const name = header?.['name'] ?? '';
    if (header?.['what'] === 'HELP') {
      metrics.push({ name, type: '', help: header['value'] ?? '', labels: undefined });
    }
    const metric = metrics.at(-1);
    if (!metric) continue;
    if (header?.['what'] === 'TYPE') metric.type = header['value'] ?? '';
    if (!header && line !== '')
      metric.labels = new Set([...(metric.labels ?? []), ...namesIn(line)]);
  }
  return metrics;
}

function namesIn(line: string): string[] {
  const names = pairsIn(SAMPLE.exec(line)?.groups?.['labels'] ?? '').map(({ name }) => name);
  return names.filter((name) => name !== 'le');
}

function pairsIn(labels: string): { name: string; value: string }[] {
  return Array.from(labels.matchAll(LABEL), ({ groups = {} }) => ({
    name: groups['name'] ?? '',
    value: groups['value'] ?? '',
  }));
}

function rowOf({ name, type, help, labels }: Metric, documentedLabels = ''): string {
  const seen = Array.from(labels ?? [], (label) => `\`${label}\``).join(', ');
  const shown =
    labels === undefined || (type === 'histogram' && seen === '') ? documentedLabels : seen;
  return `| \`${name}\` | ${type} | ${shown}${shown === '' ? '' : ' '}| ${help} |`;
}
