import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';

const component = path.resolve(import.meta.dirname, '../../../kubernetes/components/monitoring');

const Rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().default('0s'),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
});
const RuleGroups = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule) })),
});

export type AlertRule = Readonly<z.output<typeof Rule>>;

export type RuleGroups = Readonly<z.output<typeof RuleGroups>>;

/** The rules are in the `spec` of an object of the Prometheus operator. */
export async function readRules(): Promise<RuleGroups> {
  const file = path.join(component, 'rules.yaml');
  const { spec } = z.object({ spec: RuleGroups }).parse(parse(await readFile(file, 'utf8')));
  return spec;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };
const WINDOW = /(?<=\[|offset )\d+[smh]/g;
/** A shorter window would hold too few scrapes, and a restart of some seconds would raise alerts. */
const SHORTEST_SECONDS = 12;

/** Divides each window and each `for` of `rules` by `speed`, down to twelve seconds. */
export function speedUp({ groups }: RuleGroups, speed: number): RuleGroups {
  if (speed === 1) return { groups };
  const shorten = (duration: string) => `${Math.ceil(shortSeconds(duration, speed))}s`;
  return {
    groups: groups.map(({ name, rules }) => ({
      name,
      rules: rules.map((rule) => ({
        ...rule,
        expr: rule.expr.replaceAll(WINDOW, shorten),
        for: shorten(rule.for),
      })),
    })),
  };
}

/** Returns a rule's `for` plus its longest window, in seconds. The time until its metric changes is not included. */
export function ruleSeconds(rule: AlertRule): number {
  const windows = rule.expr.match(WINDOW) ?? [];
  return secondsOf(rule.for) + Math.max(0, ...windows.map(secondsOf));
}

function shortSeconds(duration: string, speed: number): number {
  const seconds = secondsOf(duration);
  return Math.min(seconds, Math.max(SHORTEST_SECONDS, seconds / speed));
}

function secondsOf(duration: string): number {
  return Number.parseInt(duration, 10) * (UNIT_SECONDS[duration.at(-1) ?? ''] ?? 1);
}
