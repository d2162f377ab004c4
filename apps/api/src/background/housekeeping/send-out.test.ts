import type { ListedParticipant, RoomService } from '@session/media';
import { expect, test } from 'vitest';
import { sendOut } from './send-out.ts';

interface Barred {
  readonly sessionId: string;
  readonly identity: string;
}

test('1,200 who are barred are sent out of as many rooms, eight rooms at a time, and each room is asked once', async () => {
  const all = barredIn(1200);
  let asking = 0;
  let askedAtOnce = 0;
  let asked = 0;
  const sending = start(all, {
    async listParticipants(room) {
      asking += 1;
      asked += 1;
      askedAtOnce = Math.max(askedAtOnce, asking);
      await new Promise(setImmediate);
      asking -= 1;
      return [listed(`agent-${room}`), listed('user-1')];
    },
  });
  expect((await sending.sentOut).toSorted()).toEqual(all.map(({ identity }) => identity));
  expect([askedAtOnce, asked]).toEqual([8, 1200]);
  expect(sending.removed.toSorted()).toEqual(all.map(({ identity }) => identity));
  expect(sending.extended).toEqual(sending.removed);
  expect(sending.forgotten).toEqual([[]]);
});

test('while no room is open, nobody asks who is barred, and bars that have ended are forgotten', async () => {
  const sending = start(barredIn(10_000), { listRooms: async () => ['not-a-session'] });
  expect(await sending.sentOut).toEqual([]);
  expect([sending.counts.lists, sending.forgotten]).toEqual([0, [[]]]);
});

test('while nobody is barred, no room is asked for', async () => {
  const asked: string[] = [];
  const listRooms = async () => {
    asked.push('rooms');
    return [];
  };
  expect(await start([], { listRooms }).sentOut).toEqual([]);
  expect(asked).toEqual([]);
});

test('a participant who cannot be removed, or a room that does not answer, keeps nobody else in: bars end as before', async () => {
  const all = barredIn(20);
  const [stuck, silent, ...others] = all;
  const removed: string[] = [];
  const sending = start(all, {
    async listParticipants(room) {
      if (room === silent?.sessionId) throw new Error('no answer');
      return [listed(`agent-${room}`)];
    },
    async removeParticipant(room, identity) {
      if (room === stuck?.sessionId) throw new Error('its node is gone');
      removed.push(identity);
    },
  });
  const failure: unknown = await sending.sentOut.catch((error: unknown) => error);
  expect(removed.toSorted()).toEqual(others.map(({ identity }) => identity));
  // A participant who stays is barred for longer.
  expect(sending.extended).toContain(stuck?.identity);
  expect(sending.forgotten).toEqual([[silent?.sessionId, stuck?.sessionId]]);
  expect(failure).toMatchObject({
    errors: [
      {
        message: `participants of room ${silent?.sessionId} could not be listed`,
        cause: { message: 'no answer' },
      },
      {
        message: `${stuck?.identity} was not removed from room ${stuck?.sessionId}`,
        cause: { message: 'its node is gone' },
      },
    ],
  });
});

test('participants who cannot be removed soon hold up no other room: eight of a room are removed at once', async () => {
  const all = barredIn(20);
  const [slow, ...others] = all;
  const removed: string[] = [];
  const rest = Promise.withResolvers<void>();
  let [removing, removingAtOnce] = [0, 0];
  const sending = start(all, {
    async listParticipants(room) {
      return Array.from({ length: room === slow?.sessionId ? 10 : 1 }, () =>
        listed(`agent-${room}`),
      );
    },
    async removeParticipant(room, identity) {
      if (room === slow?.sessionId) {
        removing += 1;
        removingAtOnce = Math.max(removingAtOnce, removing);
        await rest.promise;
        removing -= 1;
      } else if (removed.push(identity) === others.length) rest.resolve();
    },
  });
  expect(await sending.sentOut).toHaveLength(29);
  expect(removed.toSorted()).toEqual(others.map(({ identity }) => identity));
  expect(removingAtOnce).toBe(8);
});

test('the bar of a participant who was found is not forgotten when it could not be extended', async () => {
  const [first, second] = barredIn(2);
  if (!first || !second) throw new Error('nobody is barred');
  const sending = start([first, second], {}, async ({ sessionId }) => {
    if (sessionId === first.sessionId) throw new Error('the database is away');
  });
  await expect(sending.sentOut).rejects.toMatchObject({
    errors: [{ message: `${first.identity} was not removed from room ${first.sessionId}` }],
  });
  expect([sending.removed, sending.forgotten]).toEqual([[second.identity], [[first.sessionId]]]);
});

/** Returns `count` barred participants, each of a separate session. */
function barredIn(count: number): Barred[] {
  return Array.from({ length: count }, (_, number) => {
    const sessionId = `019a9f3c-5b1e-7d42-8a6f-${String(number).padStart(12, '0')}`;
    return { sessionId, identity: `agent-${sessionId}` };
  });
}

/** Begins a round in which all rooms are open, and each of `all` is in its own room. */
function start(
  all: readonly Barred[],
  part: Partial<RoomService> = {},
  beforeExtension: (barred: Barred) => Promise<void> = async () => {},
) {
  const removed: string[] = [];
  const extended: string[] = [];
  const forgotten: (readonly string[])[] = [];
  const counts = { lists: 0 };
  const bySession = new Map(all.map((barred) => [barred.sessionId, barred]));
  const sentOut = sendOut<Barred>({
    rooms: {
      listRooms: async () => [...bySession.keys()],
      listParticipants: async (room) => [listed(`agent-${room}`)],
      removeParticipant: async (_room, identity) => void removed.push(identity),
      ...part,
    },
    isAnybodyBarred: async () => all.length > 0,
    async listBarredRooms(open) {
      counts.lists += 1;
      return open.filter((room) => bySession.has(room));
    },
    async listBarred(present) {
      counts.lists += 1;
      return present.flatMap(({ sessionId }) => bySession.get(sessionId) ?? []);
    },
    hasIdentity: (barred, identity) => barred.identity === identity,
    async extend(barred) {
      await beforeExtension(barred);
      extended.push(barred.identity);
    },
    forget: async (unseen) => void forgotten.push(unseen),
  });
  return { sentOut, removed, extended, forgotten, counts };
}

function listed(identity: string): ListedParticipant {
  return {
    identity,
    isHidden: false,
    name: '',
    sid: `PA_${identity}`,
    kind: 'agent',
    state: 'active',
    isAnnounced: true,
    readsTexts: false,
    joinedAt: 0,
    trackSids: [],
  };
}
