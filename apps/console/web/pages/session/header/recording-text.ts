import type { Session } from '@session/contract';
import { gapsText } from '../../../ui/tape-texts.ts';
import { clockText } from '../../../ui/time-text.ts';

const SENTENCES: ReadonlyMap<string, string> = new Map([
  ['waiting', 'No recorder has joined yet. What is said in the room now may be missing later.'],
  [
    'reconnecting',
    'The recorder lost its connection and is coming back. What is said meanwhile may become a gap.',
  ],
  [
    'lost',
    'Nothing is recorded at the moment: the recorder could not come back. Another one takes over soon.',
  ],
]);

/** Returns how a session is recorded, as a sentence. An unknown status is its name. */
export function recordingText({ recording }: Pick<Session, 'recording'>): string {
  const { status, since, gaps } = recording;
  const soFar = gaps.length > 0 ? `${gapsText([...gaps])}.` : 'No gap.';
  if (status === 'recording') {
    const from = since === null ? '' : ` since ${clockText(Date.parse(since))}`;
    return `Every word is recorded${from}. ${soFar}`;
  }
  if (status === 'ended') return `The session is closed, and its recording is complete. ${soFar}`;
  return SENTENCES.get(status) ?? `The recording is “${status}”. ${soFar}`;
}
