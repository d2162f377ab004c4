import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { measureTurns } from './turn-metrics.ts';

test('turns are measured by the model that answered; other messages, and times that are missing, are not', async () => {
  const registry = new Registry();
  const measure = measureTurns(registry);
  measure([
    { metadata: { kind: 'transcript', turn: { firstWordsMs: 320, durationMs: 1500 } } },
    { metadata: { kind: 'transcript', turn: { fallback: true, durationMs: 4000 } } },
    { metadata: { kind: 'transcript' } },
    { metadata: null },
  ]);
  const page = await registry.metrics();
  for (const line of [
    'session_recorder_turn_first_words_seconds_bucket{le="0.25",model="first"} 0',
    'session_recorder_turn_first_words_seconds_bucket{le="0.5",model="first"} 1',
    'session_recorder_turn_first_words_seconds_count{model="fallback"} 0',
    'session_recorder_turn_duration_seconds_sum{model="first"} 1.5',
    'session_recorder_turn_duration_seconds_sum{model="fallback"} 4',
  ]) {
    expect(page).toContain(line);
  }
});
