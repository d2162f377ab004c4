import { expect, test } from 'vitest';
import { recordingStatusOf } from '../../ui/tape-span.ts';
import {
  amountSentence,
  gapExplanation,
  keptSentence,
  recordingText,
  statusSentence,
} from './recording-sentences.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 10, 0, second)).toISOString();

test('what is recorded and what is not are said with their lengths', () => {
  const coverage = [
    { from: at(0), to: at(100) },
    { from: at(108), to: at(120) },
  ];
  const gap = { from: at(100), to: at(108), reason: 'recorder_died' };
  expect(amountSentence({ coverage, gaps: [gap] })).toBe(
    '1 min 52 s recorded, 1 gap of 8 s altogether.',
  );
  expect(amountSentence({ coverage, gaps: [] })).toBe('1 min 52 s recorded, without a gap.');
  expect(amountSentence({ coverage: [], gaps: [] })).toBe('Nothing is recorded yet.');
});

const RECORDING = {
  coverage: [],
  gaps: [],
  missing: [],
  since: null,
  messageCount: 0,
  lastMessageAt: null,
};
const recordingOf = (closedAt: string | null, status: 'recording' | 'ended') => ({
  closedAt,
  recording: { ...RECORDING, status },
});

test('a closed session is not called recorded while the recorder still ends its work', () => {
  expect(recordingText(recordingOf(null, 'recording'))).toBe('Every word is recorded. No gap.');
  expect(recordingText(recordingOf(at(1), 'recording'))).toMatch(
    /^The session is closed\. The recorder/,
  );
  expect(recordingText(recordingOf(at(1), 'ended'))).toMatch(/recording is complete\. No gap\.$/);
});

test('an unknown status of a newer API is its name, and an unknown reason has no explanation', () => {
  expect(statusSentence('rewinding')).toBe('The recording is: rewinding.');
  expect(recordingStatusOf({ closedAt: at(1), recording: { status: 'rewinding' } })).toBe(
    'rewinding',
  );
  expect(gapExplanation('tape_full')).toBeUndefined();
  expect(gapExplanation('recorder_died')).toBe('The recorder died.');
});

test('a closed session promises no word that is missing or was deleted', () => {
  const gap = { from: at(100), to: at(108), reason: 'recorder_died' };
  const whole = { historyFrom: null, recording: { gaps: [], missing: [] } };
  const withGap = { historyFrom: null, recording: { gaps: [gap], missing: [] } };
  expect(keptSentence(whole)).toBe('Every word is kept.');
  expect(keptSentence(withGap)).toBe('What was recorded is kept.');
  expect(keptSentence({ ...whole, historyFrom: at(0) })).toMatch(
    /^Every word since .*2026.* is kept\. Earlier messages were deleted\.$/,
  );
  expect(keptSentence({ ...withGap, historyFrom: at(0) })).toMatch(
    /^What was recorded since .*2026/,
  );
});
