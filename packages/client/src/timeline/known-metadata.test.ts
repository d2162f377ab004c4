import { expect, test } from 'vitest';
import { opened, row, tellLatest } from '../../testing/timelines.ts';
import { isSpoken } from './known-metadata.ts';

test('words are spoken, and events, gaps and unknown kinds are not', () => {
  const timeline = opened([]);
  const events = [
    'participant_joined',
    'recording_gap',
    'tool_call',
    'conversation_ended',
    'handover',
  ];
  const kinds = ['text', 'transcript', ...events, 'video'];
  const rows = kinds.map((kind, index) =>
    row(index + 1, { metadata: { kind, participant: null, language: 'de' } }),
  );
  tellLatest(timeline, rows);
  const spoken = timeline.getSnapshot().items.filter(isSpoken);
  expect(spoken.map(({ kind, metadata }) => [kind, metadata?.language])).toEqual([
    ['text', 'de'],
    ['transcript', 'de'],
  ]);
});
