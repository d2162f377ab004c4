import type { RoomMessage } from '@session/contract/room';
import { expect, test, vi } from 'vitest';
import { InterimSegments } from './interim-segments.ts';

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

function segments(interimMs: number): { segments: InterimSegments; stored: string[] } {
  const stored: string[] = [];
  const store = ({ content }: RoomMessage) => stored.push(content);
  return { segments: new InterimSegments(interimMs, store), stored };
}

test('pending with its newest text when no final version comes in time', async () => {
  const { segments: kept, stored } = segments(20);
  kept.keep(interim('1', 'hel'));
  kept.keep(interim('1', 'hello wor'));
  await vi.waitFor(() => expect(stored).toEqual(['hello wor']));
});

test('nothing is stored of an utterance whose final version came', () => {
  const { segments: kept, stored } = segments(60_000);
  kept.keep(interim('1', 'hel'));
  kept.drop('1');
  kept.storeUnfinished();
  expect(stored).toEqual([]);
});

test('pending at once when its speaker leaves, and only the utterances of that speaker', () => {
  const { segments: kept, stored } = segments(60_000);
  kept.keep(interim('1', 'from a'));
  kept.keep(interim('2', 'from b', 'user-b'));
  kept.storeUnfinished('user-a');
  expect(stored).toEqual(['from a']);
  kept.storeUnfinished();
  expect(stored).toEqual(['from a', 'from b']);
});

test('a speaker who begins ever more utterances does not fill the memory: the oldest are stored', () => {
  const { segments: kept, stored } = segments(60_000);
  for (let id = 0; id < 103; id += 1) kept.keep(interim(String(id), `text ${id}`));
  expect(stored).toEqual(['text 0', 'text 1', 'text 2']);
  kept.storeUnfinished();
  expect(stored).toHaveLength(103);
});
