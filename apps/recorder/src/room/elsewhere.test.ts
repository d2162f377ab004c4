import type { PresenceEvent } from '@session/contract/room';
import type { ListedParticipant } from '@session/media';
import { expect, test } from 'vitest';
import { ElsewhereCheck } from './elsewhere.ts';

const ABSENT_MS = 10;

function listed(identity: string, changes: Partial<ListedParticipant> = {}): ListedParticipant {
  const participant = { identity, name: '', sid: `PA_${identity}`, kind: 'standard' };
  const state = { state: 'active', isHidden: false, isAnnounced: true, readsTexts: false };
  return { ...participant, ...state, joinedAt: 1, trackSids: [], ...changes };
}

function joined(identity: string): PresenceEvent {
  const participant = { identity, name: '', sid: `PA_${identity}`, kind: 'standard' };
  return { type: 'participant_joined', participant, joinedAt: 1, reason: null, receivedAt: 0 };
}

/**
 * Returns a check, and its server: the listed participants, those in this recorder's room, and those that any node has.
 */
function openCheck() {
  const server = { listed: [listed('ana')], present: ['ana'], alive: new Set(['ana']), asked: 0 };
  const clock = { at: 0, now: () => clock.at };
  const check = new ElsewhereCheck({
    sessionId: 'session',
    rooms: {
      listParticipants: async () => server.listed,
      async hasParticipant(_, identity) {
        server.asked += 1;
        return server.alive.has(identity);
      },
    },
    roster: () => server.present.map(joined),
    clock,
    absentMs: ABSENT_MS,
  });
  const find = async () => (await check.check())?.map(({ identity }) => identity);
  return { check, server, clock, find };
}

test('a participant who is listed and missing is elsewhere after the time of an announcement, if any node has it', async () => {
  const { server, clock, find } = openCheck();
  server.listed.push(listed('bea'), listed('killed'), listed('recorder-1'));
  server.listed.push(listed('hidden', { isHidden: true }), listed('new', { state: 'joining' }));
  for (const { identity } of server.listed) server.alive.add(identity);
  server.alive.delete('killed');
  expect(await find()).toEqual([]);
  clock.at = ABSENT_MS;
  expect(await find()).toEqual(['bea']);
  server.present.push('bea');
  expect(await find()).toEqual([]);
});

test('a participant whom no node has is looked up once, until it joins again', async () => {
  const { server, clock, find } = openCheck();
  const killed = listed('killed');
  server.listed.push(killed);
  await find();
  for (clock.at = ABSENT_MS; clock.at < 20 * ABSENT_MS; clock.at += ABSENT_MS) await find();
  expect(server.asked).toBe(1);
  server.alive.add('killed');
  server.listed = [listed('ana'), listed('killed', { joinedAt: 2 })];
  await find();
  clock.at += ABSENT_MS;
  expect(await find()).toEqual(['killed']);
});

test('a participant of the room before is elsewhere although the list lacks it, until no node has it', async () => {
  const { check, server, find } = openCheck();
  server.listed = [];
  expect(await find()).toEqual([]);
  server.present = ['bea'];
  expect(check.joined()).toMatchObject([{ identity: 'ana', isLeftBehind: true }]);
  expect([await find(), await find()]).toEqual([['ana'], ['ana']]);
  server.alive.delete('ana');
  expect([await find(), check.joined()]).toEqual([[], []]);
});

test.each(['joining', 'active'])(
  'a participant of the room before who joins again, and is %s, may be in this room or elsewhere until the time is over',
  async (state) => {
    const { check, server, clock, find } = openCheck();
    await find();
    server.present = [];
    check.joined();
    server.listed = [listed('ana', { sid: 'PA_again', joinedAt: 2, state })];
    expect([await find(), await find()]).toEqual([undefined, undefined]);
    clock.at = ABSENT_MS - 1;
    server.listed = [listed('ana', { sid: 'PA_again', joinedAt: 2 })];
    expect(await find()).toBe(undefined);
    clock.at = 2 * ABSENT_MS - 1;
    expect(await find()).toEqual(['ana']);
  },
);

test.each([
  ['is announced in this room', ['ana'], 0],
  ['is in the list, although no node has it', [], 2 * ABSENT_MS],
])('a participant who joined again, and %s, is not elsewhere', async (_, present, at) => {
  const { check, server, clock, find } = openCheck();
  await find();
  server.present = [];
  check.joined();
  server.listed = [listed('ana', { sid: 'PA_again', joinedAt: 2 })];
  expect(await find()).toBe(undefined);
  server.present = present;
  server.alive.clear();
  clock.at = at;
  expect(await find()).toEqual([]);
});

test('participants whom recorders before saw are looked up, but for those in the room', async () => {
  const { check, server, find } = openCheck();
  check.recall(
    ['ana', 'left', 'elsewhere'].map((identity) => ({ identity, sid: `PA_${identity}` })),
  );
  server.alive.add('elsewhere');
  server.listed.push(listed('elsewhere'));
  expect(await find()).toEqual(['elsewhere']);
});

test('of several stays of a participant that earlier recorders saw, the newest counts', async () => {
  const { check, server, find } = openCheck();
  check.recall(['PA_elsewhere', 'PA_old'].map((sid) => ({ identity: 'elsewhere', sid })));
  server.alive.add('elsewhere');
  server.listed.push(listed('elsewhere'));
  expect(await find()).toEqual(['elsewhere']);
});

test('a check is complete while all who are listed are in the room, until one comes or goes', async () => {
  const { check, server, find } = openCheck();
  expect(check.isComplete).toBe(false);
  await find();
  expect(check.isComplete).toBe(true);
  server.present = ['ana', 'bea'];
  expect(check.isComplete).toBe(false);
  server.listed.push(listed('bea'), listed('recorder-1'), listed('hidden', { isHidden: true }));
  await find();
  expect(check.isComplete).toBe(true);
  server.present = ['ana', 'cara'];
  expect(check.isComplete).toBe(false);
  server.present = ['ana', 'bea'];
  server.listed.push(listed('new', { state: 'joining' }));
  await find();
  expect(check.isComplete).toBe(false);
  server.listed.pop();
  await find();
  check.joined();
  expect(check.isComplete).toBe(false);
  await find();
  check.recall([{ identity: 'left', sid: 'PA_left' }]);
  expect(check.isComplete).toBe(false);
});
