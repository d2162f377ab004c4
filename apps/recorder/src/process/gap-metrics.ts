import { Counter, type Registry } from 'prom-client';
import * as z from 'zod';
import { END_REASONS } from './end-reasons.ts';

const GAP_REASONS = [
  ...END_REASONS,
  'not_started',
  'stalled',
  'flood',
  'refused',
  'storage_full',
  'restored',
];

const GapMetadata = z.object({ from: z.iso.datetime(), to: z.iso.datetime(), reason: z.string() });

export function countGaps(
  registry: Registry,
): (gaps: readonly { readonly metadata: object | null }[]) => void {
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['reason'], registers: [registry] });
  const count = counter(
    'session_recorder_gaps_total',
    'Gaps that this recorder reported in the history, by reason. Each gap counts at one recorder only.',
  );
  const seconds = counter(
    'session_recorder_gap_seconds_total',
    'How long the gaps were that this recorder reported in the history, by reason.',
  );
  for (const reason of GAP_REASONS) {
    count.inc({ reason }, 0);
    seconds.inc({ reason }, 0);
  }
  return (gaps) => {
    for (const { metadata } of gaps) {
      const { data } = GapMetadata.safeParse(metadata);
      if (!data) continue;
      count.inc({ reason: data.reason });
      seconds.inc({ reason: data.reason }, (Date.parse(data.to) - Date.parse(data.from)) / 1000);
    }
  };
}
