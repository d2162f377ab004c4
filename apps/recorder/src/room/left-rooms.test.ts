import type { PresenceEvent } from '@session/contract/room';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import { beforeEach, expect, test } from 'vitest';
import { LeftRooms } from './left-rooms.ts';

const ANA: PresenceEvent = {
  type: 'participant_joined',
  participant: { identity: 'ana', name: 'Ana', sid: 'PA_1', kind: 'standard' },
  joinedAt: 1,
  reason: null,
  receivedAt: 1,
};

beforeEach(() => startVirtualTime());

/**
 * Returns a room that was given up. At each look it has the next of these numbers of participants, and none after the
 * last one.
 */
function leftRoom(counts: readonly number[]) {
  const following = counts.values();
  let looks = 0;
  return {
    isReceiving: true,
    lostSince: 1,
    roster() {
      looks += 1;
      return Array.from({ length: following.next().value ?? 0 }, () => ANA);
    },
    looks: () => looks,
  };
}

test('a room is kept for a while after the last leave, which may overtake the last words', async () => {
  const rooms = new LeftRooms<ReturnType<typeof leftRoom>>();
  const room = leftRoom([1, 0, 0, 0, 1]);
  const kept = rooms.keep(room, new AbortController().signal);
  // The room is checked twice a second, and is empty four times in a row from the sixth check on.
  await passTime(4499);
  expect([room.looks(), rooms.has(room)]).toEqual([8, true]);
  await passTime(1);
  await kept;
  expect([room.looks(), rooms.links]).toEqual([9, []]);
});

test('a room that receives nothing any more is not kept, nor is any at the end', async () => {
  const rooms = new LeftRooms<ReturnType<typeof leftRoom>>();
  const [deaf, other] = [{ ...leftRoom([1]), isReceiving: false }, leftRoom([1])];
  await rooms.keep(deaf, new AbortController().signal);
  await rooms.keep(other, AbortSignal.abort());
  expect([deaf.looks(), other.looks(), rooms.links]).toEqual([0, 0, []]);
});

test('a room is needed while participants are in it whom the other room does not have', () => {
  const rooms = new LeftRooms();
  const isNeeded = (left: number, joined: number, lostSince?: number) =>
    rooms.isNeeded({ ...leftRoom([left]), lostSince }, leftRoom([joined]));
  expect([isNeeded(1, 0, 1), isNeeded(0, 0, 1), isNeeded(1, 1, 1), isNeeded(1, 0)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
