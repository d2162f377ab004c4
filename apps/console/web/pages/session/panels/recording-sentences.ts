import type { Recording } from '@session/contract';
import { inWords } from '../../../ui/durations.ts';

type Span = Recording['coverage'][number];

const REASONS = new Map([
  ['not_started', 'no recorder was in the room yet'],
  ['connection_lost', 'the recorder lost its connection to the room'],
  ['recorder_died', 'the recorder died'],
  ['recorder_stopped', 'the recorder was stopped, and no other could take over'],
  ['stalled', 'the recorder stood still for a while'],
  ['refused', 'the database refused a message'],
  ['room_split', 'the media server had a second room of the same name'],
  ['storage_full', 'the database was away for longer than the recorder had room'],
]);

/** Returns why nothing was recorded. An unknown reason is its name, in words. */
export function gapReason(reason: string): string {
  return REASONS.get(reason) ?? reason.replaceAll('_', ' ');
}

const STATUSES: ReadonlyMap<string, string> = new Map([
  ['waiting', 'No recorder is in the room yet. It comes as soon as somebody joins.'],
  ['recording', 'Every word is recorded.'],
  ['reconnecting', 'The recorder is reconnecting. Words said now may be missing from the history.'],
  ['lost', 'No recorder is in the room. Words said now are not recorded.'],
  ['ended', 'The session is closed, and its recording is complete.'],
]);

/** Returns what a status of a recording means. An unknown status is its name. */
export function statusSentence(status: string): string {
  return STATUSES.get(status) ?? `The recording is: ${status}.`;
}

/** Returns how much is recorded, and how much is not, as a sentence. */
export function amountSentence({ coverage, gaps }: Pick<Recording, 'coverage' | 'gaps'>): string {
  if (coverage.length === 0 && gaps.length === 0) return 'Nothing is recorded yet.';
  const recorded = `${inWords(lengthOf(coverage))} recorded`;
  if (gaps.length === 0) return `${recorded}, without a gap.`;
  const count = gaps.length === 1 ? '1 gap' : `${gaps.length.toLocaleString('en')} gaps`;
  return `${recorded}, ${count} of ${inWords(lengthOf(gaps))} altogether.`;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((ms, { from, to }) => ms + Math.max(0, Date.parse(to) - Date.parse(from)), 0);
}
