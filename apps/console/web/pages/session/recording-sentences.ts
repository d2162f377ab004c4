import type { Recording, Session } from '@session/contract';
import { inWords } from '../../ui/durations.ts';
import { lengthOf } from '../../ui/tape-geometry.ts';
import { recordingStatusOf } from '../../ui/tape-span.ts';
import { gapsText } from '../../ui/tape-texts.ts';
import { momentText } from '../../ui/time-text.ts';

const REASONS = new Map([
  ['not_started', 'No recorder was in the room yet.'],
  ['connection_lost', 'The recorder lost its connection to the room.'],
  ['recorder_died', 'The recorder died.'],
  ['recorder_stopped', 'The recorder was stopped, and no other could take over.'],
  ['stalled', 'The recorder stood still for a while.'],
  ['gave_way', 'Nobody was in the session, and its recorder was needed for another one.'],
  ['refused', 'The database refused a message.'],
  ['restored', 'The database was restored to an earlier time.'],
  ['room_split', 'The media server had a second room of the same name.'],
  ['storage_full', 'The database was away for longer than the recorder had room.'],
]);

export function gapExplanation(reason: string): string | undefined {
  return REASONS.get(reason);
}

const STATUSES: ReadonlyMap<string, string> = new Map([
  [
    'waiting',
    'No recorder is in the room yet. It comes as soon as a participant joins. Words said before may be missing from the history.',
  ],
  ['recording', 'Every word is recorded.'],
  ['reconnecting', 'The recorder is reconnecting. Words said now may be missing from the history.'],
  [
    'lost',
    'No recorder is in the room. Words said now are not recorded, until another takes over.',
  ],
  ['finishing', 'The session is closed. The recorder stores its last words.'],
  ['ended', 'The session is closed, and its recording is complete.'],
]);

export function statusSentence(status: string): string {
  return STATUSES.get(status) ?? `The recording is: ${status}.`;
}

export function recordingText(session: Pick<Session, 'closedAt' | 'recording'>): string {
  const { gaps } = session.recording;
  const soFar = gaps.length > 0 ? `${gapsText(gaps)}.` : 'No gap.';
  return `${statusSentence(recordingStatusOf(session))} ${soFar}`;
}

export function amountSentence({ coverage, gaps }: Pick<Recording, 'coverage' | 'gaps'>): string {
  if (coverage.length === 0 && gaps.length === 0) return 'Nothing is recorded yet.';
  const recorded = `${inWords(lengthOf(coverage))} recorded`;
  if (gaps.length === 0) return `${recorded}, without a gap.`;
  const count = gaps.length === 1 ? '1 gap' : `${gaps.length.toLocaleString('en')} gaps`;
  return `${recorded}, ${count} of ${inWords(lengthOf(gaps))} altogether.`;
}

type Kept = Pick<Session, 'historyFrom'> & {
  readonly recording: Pick<Recording, 'gaps' | 'missing'>;
};

/** Returns a sentence about which words of a closed session are kept. */
export function keptSentence({ historyFrom, recording: { gaps, missing } }: Kept): string {
  const words = gaps.length + missing.length === 0 ? 'Every word' : 'What was recorded';
  if (historyFrom === null) return `${words} is kept.`;
  const since = momentText(Date.parse(historyFrom));
  return `${words} since ${since} is kept. Earlier messages were deleted.`;
}
