import type { RoomMessage } from '@session/contract/room';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test } from 'vitest';
import { TIMING } from '../timing.ts';
import { InterimTranscripts } from './interim-transcripts.ts';

function interim(id: string, content: string, identity = 'user-a'): RoomMessage {
  return {
    id,
    sessionId: 's',
    role: 'user',
    status: 'pending',
    kind: 'transcript',
    content,
    metadata: {
      kind: 'transcript',
      participant: { identity, name: '', sid: null, kind: 'standard' },
      source: 'lk.transcription',
      rawId: id,
    },
    receivedAt: Date.now(),
  };
}

beforeEach(() => startVirtualTime(0));

/**
 * Returns the kept transcripts, and notes what is stored of them: each text, and when, in virtual time that begins at
 * 0.
 */
function openTranscripts(checkpointMs = 600_000) {
  const stored: string[] = [];
  const storedAt: number[] = [];
  const store = ({ content }: RoomMessage) => {
    stored.push(content);
    storedAt.push(Date.now());
  };
  return {
    kept: new InterimTranscripts({ ...TIMING, interimMs: 30_000, checkpointMs }, store),
    stored,
    storedAt,
  };
}

test('pending with its newest text when nothing newer comes for 30 s, and not a millisecond sooner', async () => {
  const { kept, stored } = openTranscripts();
  kept.keep(interim('1', 'hel'));
  await passTime(29_999);
  kept.keep(interim('1', 'hello wor'));
  await passTime(29_999);
  expect(stored).toEqual([]);
  await passTime(1);
  expect([stored, kept.unstoredSince]).toEqual([['hello wor'], Infinity]);
});

test('a segment of 35 s: no word of it is in memory only for longer than 10 s', async () => {
  const { kept, stored, storedAt } = openTranscripts(10_000);
  for (let at = 0; at < 35_000; at += 300) {
    kept.keep(interim('1', `words until ${at}`));
    for (let passed = 0; passed < 300; passed += 50) {
      expect(Date.now() - kept.unstoredSince).toBeLessThan(10_000);
      await passTime(50);
    }
  }
  expect(stored).toEqual(['words until 9900', 'words until 20100', 'words until 30300']);
  // Each time is 10 s after the first word that the previous checkpoint did not store.
  expect(storedAt).toEqual([10_000, 20_200, 30_400]);
});

test('a stored part is kept for the next one as long as if it were not stored, and is stored once', async () => {
  const { kept, stored } = openTranscripts(10_000);
  const part = interim('1', 'hel');
  kept.keep(part);
  await passTime(29_999);
  expect([stored, kept.find(part)]).toEqual([['hel'], part]);
  await passTime(1);
  expect([stored, kept.find(part)]).toEqual([['hel'], undefined]);
});

test('no interim transcript is stored once its final transcript came', () => {
  const { kept, stored } = openTranscripts();
  kept.keep(interim('1', 'hel'));
  kept.drop(interim('1', 'hello'));
  kept.storeAll();
  expect(stored).toEqual([]);
});

test('two senders of one id each keep their own transcript', () => {
  const { kept, stored } = openTranscripts();
  kept.keep(interim('1', 'from a'));
  kept.keep(interim('1', 'from b', 'user-b'));
  kept.drop(interim('1', 'all from a'));
  expect(kept.find(interim('1', '', 'user-b'))?.content).toBe('from b');
  kept.storeAll();
  expect(stored).toEqual(['from b']);
});

test('pending at once when its sender leaves, and only the interim transcripts of that sender', () => {
  const { kept, stored } = openTranscripts();
  kept.keep(interim('1', 'from a'));
  kept.keep(interim('2', 'from b', 'user-b'));
  kept.storeAll('user-a');
  expect(stored).toEqual(['from a']);
  kept.storeAll();
  expect(stored).toEqual(['from a', 'from b']);
});

test('ever more interim transcripts of one sender do not fill the memory: the oldest are stored', () => {
  const { kept, stored } = openTranscripts();
  for (let id = 0; id < 103; id += 1) kept.keep(interim(String(id), `text ${id}`));
  expect(stored).toEqual(['text 0', 'text 1', 'text 2']);
  kept.storeAll();
  expect(stored).toHaveLength(103);
});

test('a long text is saved as soon as its first words have waited for a checkpoint', async () => {
  const { kept, stored } = openTranscripts(600_000);
  kept.keep(interim('1', 'a long text'), -600_000);
  await expect.poll(() => stored).toEqual(['a long text']);
});

test('a text is unstored since its first words, whichever interim transcript of it came last', () => {
  const times: number[] = [];
  const timing = { ...TIMING, interimMs: 60_000, checkpointMs: 60_000 };
  const kept = new InterimTranscripts(timing, (_, since) => times.push(since));
  kept.keep(interim('1', 'hel'), 3);
  kept.keep(interim('1', 'hello'), 8);
  expect(kept.unstoredSince).toBe(3);
  kept.storeAll();
  expect(times).toEqual([3]);
});
