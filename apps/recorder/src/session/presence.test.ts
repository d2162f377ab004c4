import type { PresenceEvent } from '@session/contract/room';
import { passTime, startVirtualTime } from '@session/testing/virtual-time';
import * as fc from 'fast-check';
import { beforeEach, expect, test, vi } from 'vitest';
import { Presence } from './presence.ts';

function event(type: PresenceEvent['type'], sid: string, reason: string | null): PresenceEvent {
  const participant = { identity: `user-${sid}`, name: '', sid, kind: 'standard' };
  return { type, participant, joinedAt: 0, reason, receivedAt: 0 };
}

const joined = (sid: string) => event('participant_joined', sid, null);
const left = (sid: string, reason: string | null) => event('participant_left', sid, reason);

const FALSE_LEAVE_MS = 10_000;

beforeEach(() => startVirtualTime());

function watch(): { presence: Presence; seen: string[] } {
  const seen: string[] = [];
  const presence = new Presence(FALSE_LEAVE_MS, {
    push(reported) {
      if (!('participant' in reported)) throw new Error('only joins and leaves are expected');
      const { type, participant } = reported;
      seen.push(`${participant.sid} ${type.slice('participant_'.length)}`);
    },
  });
  return { presence, seen };
}

/** Returns what was seen just before the pending uncertain leaves count, and once they count. */
async function seenBeforeAndAfter(seen: readonly string[]): Promise<readonly string[][]> {
  await passTime(FALSE_LEAVE_MS - 1);
  const before = [...seen];
  await passTime(1);
  return [before, seen.slice(before.length)];
}

test('a leave with a reason counts at once while the connection is up, and a second join of one stay never', () => {
  const { presence, seen } = watch();
  presence.join(joined('1'));
  presence.join(joined('1'));
  presence.leave(left('1', 'CLIENT_INITIATED'), true);
  expect(seen).toEqual(['1 joined', '1 left']);
});

test('neither leave nor join when a full reconnect shows both of the same stay', async () => {
  const { presence, seen } = watch();
  presence.join(joined('1'));
  presence.join(joined('2'));
  presence.leave(left('1', null), true);
  presence.leave(left('2', null), false);
  presence.join(joined('1'));
  expect(await seenBeforeAndAfter(seen)).toEqual([['1 joined', '2 joined'], ['2 left']]);
});

test('a participant who joins under a new SID has left the old stay before, even if no leave was reported', () => {
  const { presence, seen } = watch();
  const again = (sid: string) => {
    const one = joined(sid);
    return { ...one, participant: { ...one.participant, identity: 'user-ada' } };
  };
  presence.reconcile([again('1'), joined('2')], 0);
  presence.reconcile([again('3'), joined('2')], 0);
  expect(seen).toEqual(['1 joined', '2 joined', '1 left', '3 joined']);
});

test('a fresh connection finds the joins and leaves that were missed', async () => {
  const { presence, seen } = watch();
  presence.reconcile([joined('1'), joined('2')], 0);
  presence.reconcile([joined('2'), joined('3')], 0);
  expect(await seenBeforeAndAfter(seen)).toEqual([
    ['1 joined', '2 joined', '3 joined'],
    ['1 left'],
  ]);
});

test('no uncertain leave counts during an interruption, however long it takes', async () => {
  const { presence, seen } = watch();
  for (const sid of ['1', '2', '3']) presence.join(joined(sid));
  presence.leave(left('1', null), true);
  presence.interrupt();
  presence.leave(left('2', null), false);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(seen).toEqual(['1 joined', '2 joined', '3 joined']);
  presence.reconcile([joined('1'), joined('3')], 0);
  expect(await seenBeforeAndAfter(seen)).toEqual([
    ['1 joined', '2 joined', '3 joined'],
    ['2 left'],
  ]);
});

test('an uncertain leave is decided at the end: it counts unless the connection was down', () => {
  for (const isConnected of [true, false]) {
    const { presence, seen } = watch();
    presence.join(joined('1'));
    presence.leave(left('1', null), isConnected);
    presence.decideLeaves(isConnected);
    expect(seen).toEqual(isConnected ? ['1 joined', '1 left'] : ['1 joined']);
  }
});

/** Two participants, each with two stays. */
const STAYS = ['a1', 'a2', 'b1', 'b2'];

function ofStay(sid: string, type: PresenceEvent['type'], reason: string | null): PresenceEvent {
  const participant = { identity: sid.charAt(0), name: '', sid, kind: 'standard' };
  return { ...event(type, sid, reason), participant };
}

/** Events that a room may report. The room shows at most one stay of each participant. */
const steps = fc.array(
  fc.oneof(
    fc.constantFrom(...STAYS).map((sid) => (presence: Presence) => {
      presence.join(ofStay(sid, 'participant_joined', null));
    }),
    fc
      .tuple(fc.constantFrom(...STAYS), fc.constantFrom(null, 'CLIENT_INITIATED'), fc.boolean())
      .map(([sid, reason, isConnected]) => (presence: Presence) => {
        presence.leave(ofStay(sid, 'participant_left', reason), isConnected);
      }),
    fc.constant((presence: Presence) => presence.interrupt()),
    fc
      .tuple(fc.constantFrom('a1', 'a2', ''), fc.constantFrom('b1', 'b2', ''))
      .map((sids) => (presence: Presence) => {
        const roster = sids.filter((sid) => sid !== '');
        const joins = roster.map((sid) => ofStay(sid, 'participant_joined', null));
        presence.reconcile(joins, 0);
      }),
  ),
  { maxLength: 30 },
);

test('whatever a room reports, no participant is reported in two stays, or twice in one', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const { presence, seen } = watch();
      for (const step of all) step(presence);
      presence.decideLeaves(true);
      const open = new Set<string>();
      const openStays = seen.map((line) => {
        const [sid = '', what] = line.split(' ');
        if (what === 'joined') open.add(sid);
        else open.delete(sid);
        return [...open].map((stay) => stay.charAt(0)).join('');
      });
      for (const identities of openStays) expect(identities).not.toMatch(/a.*a|b.*b/);
      for (const sid of STAYS) {
        const lines = seen.filter((line) => line.startsWith(sid));
        expect(lines.join()).not.toContain(`${sid} joined,${sid} joined`);
      }
    }),
  );
});

test('after a fresh connection, exactly the participants that it shows are present', () => {
  const shown = fc.tuple(fc.constantFrom('a1', 'a2', ''), fc.constantFrom('b1', 'b2', ''));
  fc.assert(
    fc.property(steps, shown, (all, sids) => {
      const { presence, seen } = watch();
      for (const step of all) step(presence);
      const roster = sids.filter((sid) => sid !== '');
      presence.reconcile(
        roster.map((sid) => ofStay(sid, 'participant_joined', null)),
        0,
      );
      presence.decideLeaves(true);
      const last = new Map(seen.map((line) => [line.slice(0, 2), line.slice(3)]));
      const present = STAYS.filter((sid) => last.get(sid) === 'joined');
      expect(present).toEqual(roster);
    }),
  );
});

test('a leave of a stay that was never seen counts if it is certain, and is ignored if it is not', () => {
  const { presence, seen } = watch();
  presence.leave(left('1', null), true);
  presence.leave(left('2', 'CLIENT_INITIATED'), false);
  presence.leave(left('3', 'CLIENT_INITIATED'), true);
  expect(seen).toEqual(['3 left']);
});

test('the first uncertain leave of a stay stands, and a certain one ends the wait', () => {
  const { presence, seen } = watch();
  presence.join(joined('1'));
  presence.leave(left('1', null), true);
  presence.leave(left('1', null), true);
  presence.leave(left('1', 'CLIENT_INITIATED'), true);
  presence.decideLeaves(true);
  expect(seen).toEqual(['1 joined', '1 left']);
});

test('a leave that waits keeps its time when a fresh connection does not find the participant either', () => {
  const { presence } = watch();
  presence.join(joined('1'));
  presence.leave({ ...left('1', null), receivedAt: 5 }, false);
  presence.reconcile([], 9);
  expect(presence.uncertainSince).toBe(5);
});
