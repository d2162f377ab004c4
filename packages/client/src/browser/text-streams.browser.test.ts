import type { RoomEvent } from '@session/contract/room';
import { ParticipantKind } from 'livekit-client';
import { expect, test } from 'vitest';
import { TextStreams } from './text-streams.ts';

/** Yields ten megabytes, in the pieces in which LiveKit's SDK sends a text. */
async function* endlessText() {
  for (let count = 0; count < 700; count += 1) yield 'x'.repeat(15_000);
}

test('of a stream of ten megabytes a page holds little more than is shown', async () => {
  const lengths: number[] = [];
  const note = (event: RoomEvent) => {
    if ('text' in event) lengths.push(event.text.length);
  };
  const frames = { call: (_: object, work: () => void) => work(), cancel: () => {} };
  const room = { getParticipantByIdentity: () => undefined };
  const streams = new TextStreams(
    { ParticipantKind },
    room,
    { partial: note, event: note },
    frames,
  );
  const info = { id: 's', topic: 'lk.chat', timestamp: 0 };
  await streams.read(Object.assign(endlessText(), { info }), 'ada');
  expect(lengths).toEqual([15_000, 30_000, 45_000, 60_000, 75_000, 75_000]);
});
