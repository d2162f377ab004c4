import type { RoomMessage } from '@session/contract/room';
import { expect, test } from 'vitest';
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
    receivedAt: 0,
  };
}

function openTranscripts(interimMs: number): { kept: InterimTranscripts; stored: string[] } {
  const stored: string[] = [];
  const store = ({ content }: RoomMessage) => stored.push(content);
  return { kept: new InterimTranscripts({ interimMs, checkpointMs: 600_000 }, store), stored };
}

test('pending with its newest text when no final transcript comes in time', async () => {
  const { kept, stored } = openTranscripts(20);
  kept.keep(interim('1', 'hel'));
  kept.keep(interim('1', 'hello wor'));
  await expect.poll(() => stored).toEqual(['hello wor']);
});

test('no interim transcript is stored once its final transcript came', () => {
  const { kept, stored } = openTranscripts(60_000);
  kept.keep(interim('1', 'hel'));
  kept.drop(interim('1', 'hello'));
  kept.storeAll();
  expect(stored).toEqual([]);
});

test('two senders of one id each keep their own transcript', () => {
  const { kept, stored } = openTranscripts(60_000);
  kept.keep(interim('1', 'from a'));
  kept.keep(interim('1', 'from b', 'user-b'));
  kept.drop(interim('1', 'all from a'));
  expect(kept.find(interim('1', '', 'user-b'))?.content).toBe('from b');
  kept.storeAll();
  expect(stored).toEqual(['from b']);
});

test('pending at once when its sender leaves, and only the interim transcripts of that sender', () => {
  const { kept, stored } = openTranscripts(60_000);
  kept.keep(interim('1', 'from a'));
  kept.keep(interim('2', 'from b', 'user-b'));
  kept.storeAll('user-a');
  expect(stored).toEqual(['from a']);
  kept.storeAll();
  expect(stored).toEqual(['from a', 'from b']);
});

test('ever more interim transcripts of one sender do not fill the memory: the oldest are stored', () => {
  const { kept, stored } = openTranscripts(60_000);
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
  const timing = { interimMs: 60_000, checkpointMs: 60_000 };
  const kept = new InterimTranscripts(timing, (_, since) => times.push(since));
  kept.keep(interim('1', 'hel'), 3);
  kept.keep(interim('1', 'hello'), 8);
  expect(kept.oldestAt).toBe(3);
  kept.storeAll();
  expect(times).toEqual([3]);
});
