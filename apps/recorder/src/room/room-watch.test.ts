import { type ListedRoom, openRoomService, type RoomInstance } from '@session/media';
import { expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { openWebhookStage } from '../../testing/webhook-stage.ts';
import type { RoomLink } from './room-link.ts';
import { RoomWatch } from './room-watch.ts';

const NEVER_MS = 2 ** 31 - 1;
const own: ListedRoom = { sid: 'RM_own', createdAt: 1000, participantCount: 1 };

/**
 * Returns a watch over one connection. Notes why the connection was given up, and how often its room was reported as
 * changed.
 */
function openWatch(listed: () => ListedRoom | undefined, everyMs = NEVER_MS) {
  const givenUp: { reason: string; since: number }[] = [];
  let changes = 0;
  const link: Pick<RoomLink, 'assumeInstance' | 'giveUp' | 'instance' | 'roster' | 'state'> = {
    state: 'up',
    assumeInstance: () => {},
    instance: async () => own,
    roster: () => [],
    giveUp: (reason, since) => void givenUp.push({ reason, since }),
  };
  let asked = 0;
  const watch = new RoomWatch({
    async findRooms([name = '']) {
      asked += 1;
      const instance = listed();
      return new Map(instance ? [[name, instance]] : []);
    },
    everyMs,
    log: logTo(),
    clock: { now: () => Date.now() },
  });
  watch.watch('session', { link }, () => {
    changes += 1;
  });
  return { watch, givenUp, asked: () => asked, changes: () => changes };
}

test('participants in a second room of the same name: the recorder connects again, and the gap is in the history', async () => {
  await using opened = await openWebhookStage();
  const { stage } = opened;
  const recorder = await stage.record();
  await opened.receiveWebhooks(recorder);
  const name = await stage.recordedSession();
  const ana = await stage.join(name);
  await ana.say('before');
  await stage.historyWith(name, ({ content }) => content === 'before');
  const room = { name, sid: 'RM_other', creationTimeMs: String(Date.now()) };
  // What a second media server sends when a participant joins its own room of that name.
  const participant = { sid: 'PA_other', identity: 'user-2', name: 'Other', joinedAtMs: '1' };
  expect(await opened.post({ event: 'participant_joined', room, participant })).toBe(200);
  await until(async () => (await stage.countIntervals(name)) === 2);
  await ana.say('after');
  const history = await stage.historyWith(name, ({ content }) => content === 'after');
  expect(history.filter(({ content }) => content === 'before')).toHaveLength(1);
  await until(async () => (await stage.gaps(name)).reported.length === 1);
  const { reported, left } = await stage.gaps(name);
  expect(reported).toEqual(left);
  expect(reported).toMatchObject([{ reason: 'room_split' }]);
});

test('without webhooks the recorder finds the second room by asking the server', async () => {
  await using stage = await TestStage.open();
  const rooms = openRoomService(stage.media);
  let second: ListedRoom | undefined;
  await stage.record({
    rooms: {
      ...rooms,
      findRooms: async (names) =>
        second ? new Map([[sessionId, second]]) : await rooms.findRooms(names),
    },
  });
  const sessionId = await stage.recordedSession();
  second = { sid: 'RM_other', createdAt: Date.now(), participantCount: 1 };
  await until(async () => (await stage.countIntervals(sessionId)) === 2);
  await until(async () => (await stage.gaps(sessionId)).reported.length === 1);
  const { reported } = await stage.gaps(sessionId);
  const since = new Date(second.createdAt ?? 0).toISOString();
  expect(reported).toMatchObject([{ reason: 'room_split', from: since }]);
});

test.each<[string, RoomInstance, number]>([
  ['of the room that is recorded from', own, 0],
  ['of an older room: it comes late', { sid: 'RM_older', createdAt: 999 }, 0],
  ['of a newer room', { sid: 'RM_newer', createdAt: 1001 }, 1],
  ['of a room whose age nobody knows', { sid: 'RM_unknown', createdAt: null }, 1],
])('a webhook %s', async (_, reported, count) => {
  const { watch, givenUp } = openWatch(() => undefined);
  watch.saw('session', reported);
  watch.saw('another session', reported);
  await new Promise((resolve) => setImmediate(resolve));
  expect(givenUp).toHaveLength(count);
  await watch[Symbol.asyncDispose]();
});

test('the gap begins with the other room, although the server has listed the own room since then', async () => {
  const createdAt = Date.now();
  const { watch, givenUp, asked } = openWatch(() => own, 1);
  await until(() => asked() > 2 && Date.now() > createdAt + 1);
  watch.saw('session', { sid: 'RM_2', createdAt });
  await until(() => givenUp.length > 0);
  expect(givenUp).toEqual([{ reason: 'ROOM_SPLIT', since: createdAt }]);
  await watch[Symbol.asyncDispose]();
});

test('a connection is not given up again and again for the same other room', async () => {
  const { watch, givenUp } = openWatch(() => undefined);
  for (const createdAt of [2000, 2000, 3000]) watch.saw('session', { sid: 'RM_2', createdAt });
  await new Promise((resolve) => setImmediate(resolve));
  expect(givenUp).toHaveLength(1);
  await watch[Symbol.asyncDispose]();
});

test('one answer of the server may be older than the room, so only the second in a row counts', async () => {
  const others = ['RM_a', 'RM_b', 'RM_own', 'RM_b'];
  const answers = others.map((sid) => ({ ...own, sid, createdAt: 2000 }));
  const { watch, givenUp, asked } = openWatch(() => answers.shift(), 1);
  await until(() => asked() > others.length);
  expect(givenUp).toEqual([]);
  const other = { ...own, sid: 'RM_c', createdAt: 2000 };
  answers.push(other, other);
  await until(() => givenUp.length > 0);
  await watch[Symbol.asyncDispose]();
  expect(givenUp).toMatchObject([{ reason: 'ROOM_SPLIT' }]);
});

test('a room counts as changed when its number of participants changes, while it is not listed, and at a webhook', async () => {
  let listed: ListedRoom | undefined = own;
  const { watch, asked, changes } = openWatch(() => listed, 1);
  const askMore = async () => {
    const before = asked();
    await until(() => asked() > before + 2);
  };
  await askMore();
  expect(changes()).toBe(1);
  listed = { ...own, participantCount: 2 };
  await askMore();
  expect(changes()).toBe(2);
  watch.saw('session', own);
  watch.saw('another session', own);
  expect(changes()).toBe(3);
  listed = undefined;
  await askMore();
  expect(changes()).toBeGreaterThan(4);
  await watch[Symbol.asyncDispose]();
});
