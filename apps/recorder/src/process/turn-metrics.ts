import { Histogram, type Registry } from 'prom-client';
import * as z from 'zod';

const TurnMetadata = z.object({
  turn: z.object({
    fallback: z.boolean().optional(),
    firstWordsMs: z.number().optional(),
    durationMs: z.number().optional(),
  }),
});

export function measureTurns(
  registry: Registry,
): (messages: readonly { readonly metadata: object | null }[]) => void {
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, labelNames: ['model'], buckets, registers: [registry] });
  const firstWords = histogram(
    'session_recorder_turn_first_words_seconds',
    'Time from the beginning of an agent’s turn to the first word that people saw or heard, as the agent measured it, by the model that was asked last: `first` or `fallback`. Each recorder of a session measures it.',
    [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30],
  );
  const durations = histogram(
    'session_recorder_turn_duration_seconds',
    'Time from the beginning of an agent’s turn to the last word that people saw or heard, as the agent measured it, by the model that was asked last: `first` or `fallback`. Each recorder of a session measures it.',
    [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300],
  );
  for (const model of ['first', 'fallback']) {
    firstWords.zero({ model });
    durations.zero({ model });
  }
  return (messages) => {
    for (const { metadata } of messages) {
      const { data } = TurnMetadata.safeParse(metadata);
      if (!data) continue;
      const { fallback, firstWordsMs, durationMs } = data.turn;
      const labels = { model: fallback ? 'fallback' : 'first' };
      if (firstWordsMs !== undefined) firstWords.observe(labels, firstWordsMs / 1000);
      if (durationMs !== undefined) durations.observe(labels, durationMs / 1000);
    }
  };
}
