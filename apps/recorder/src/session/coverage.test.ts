import type { PresenceEvent } from '@session/contract/room';
import { expect, test } from 'vitest';
import type { LinkState } from '../room/room-link.ts';
import { Coverage } from './coverage.ts';

const SILENCE_MS = 15;

function joined(joinedAt: number | null): PresenceEvent {
  const participant = { identity: 'ana', name: '', sid: 'PA_1', kind: 'standard' };
  return { type: 'participant_joined', participant, joinedAt, reason: null, receivedAt: 0 };
}

function roomOf(
  receivesSince: number | null = 0,
  joins: readonly (number | null)[] = [],
  serverLeadMs = 0,
) {
  return { receivesSince, roster: () => joins.map(joined), serverLeadMs };
}

function lostRoom(state: LinkState, lastEventAt: number, reason: string | null = null) {
  return { state, lastEventAt, reason, lostSince: undefined };
}

/** Returns a coverage, and its reports, in order. */
function openCoverage() {
  const reports: string[] = [];
  let coveredSince: number | undefined;
  const coverage = new Coverage(
    {
      intervalId: undefined,
      hasUnwritten: false,
      isIntervalWritten: false,
      setState: () => {},
      get coveredSince() {
        return coveredSince;
      },
      beginInterval(from) {
        coveredSince = from;
        reports.push(`from ${from}`);
      },
      endInterval(to, reason) {
        coveredSince = undefined;
        reports.push(`to ${to}: ${reason}`);
      },
      endAgain: () => {},
      cutInterval: (from, to, reason) => reports.push(`not ${from} to ${to}: ${reason}`),
      cutAllIntervals: (from, to, reason) => reports.push(`nobody ${from} to ${to}: ${reason}`),
      insertGapStart: (from, coveredFrom) => reports.push(`gap from ${from} to ${coveredFrom}`),
    },
    SILENCE_MS,
  );
  return { coverage, reports };
}

test.each<[string, ReturnType<typeof lostRoom>, number, string]>([
  ['at once when the server ends the room', lostRoom('gone', 120), Infinity, '200'],
  ['at the last event when the SDK is silent', lostRoom('down', 190), Infinity, '190'],
  ['before the silence that the SDK notices late', lostRoom('down', 120), Infinity, '185'],
  ['at the oldest kept message', lostRoom('gone', 190), 150, '150'],
  ['at the last event before a kept message', lostRoom('down', 190), 195, '190'],
  ['where it began, not before', lostRoom('down', 190), 50, '100'],
])('a connection that breaks ends the interval %s', (_, link, oldestKeptAt, to) => {
  const { coverage, reports } = openCoverage();
  coverage.connected(roomOf(), false, 100);
  coverage.interrupted(link, oldestKeptAt, 200);
  expect(reports).toEqual(['from 100', `to ${to}: connection_lost`]);
});

test('a seamless reconnect leaves no gap; any other one leaves the time without a connection', () => {
  const { coverage, reports } = openCoverage();
  coverage.connected(roomOf(), false, 100);
  coverage.interrupted(lostRoom('down', 190), Infinity, 200);
  coverage.connected(roomOf(), true, 300);
  coverage.interrupted(lostRoom('gone', 390, 'SERVER_SHUTDOWN'), Infinity, 400);
  coverage.connected(roomOf(), false, 500);
  expect(reports).toEqual([
    'from 100',
    'to 190: connection_lost',
    'from 190',
    'to 400: server_shutdown',
    'from 500',
  ]);
});

test('an interval that others ended is followed by an interval that begins now', () => {
  const { coverage, reports } = openCoverage();
  coverage.connected(roomOf(), false, 100);
  coverage.endedByOthers(250);
  expect(reports).toEqual(['from 100', 'from 250']);
});

test('the end takes out the time for which messages are kept, and nothing without them', () => {
  const { coverage, reports } = openCoverage();
  coverage.connected(roomOf(), false, 100);
  coverage.end(200, 150, 'recorder_stopped');
  coverage.connected(roomOf(), false, 300);
  coverage.end(400, Infinity, 'session_closed');
  expect(reports).toEqual([
    'from 100',
    'not 150 to 200: recorder_stopped',
    'to 200: recorder_stopped',
    'from 300',
    'to 400: session_closed',
  ]);
});

test.each<[string, number | null, number | null, number, string[]]>([
  ['before the first connection', 60, 90, 0, ['gap from 60 to 100']],
  ['before, by a clock that is ahead of this one', 120, 130, 30, ['gap from 90 to 100']],
  ['before, by a clock that may be ahead', 110, 120, 0, ['gap from 100 to 100']],
  ['before, by a clock that is behind this one', 20, 50, -40, ['gap from 60 to 100']],
  ['when the connection covered the room already', 90, 90, 0, []],
  ['at an unknown time', null, 90, 0, []],
  ['before a connection whose own join is unknown', 60, null, 0, []],
])(
  'a participant who joined %s begins a gap only if nothing covered the room then',
  (_, joinedAt, since, leadMs, gaps) => {
    const inRoom = openCoverage();
    inRoom.coverage.connected(roomOf(since, [joinedAt], leadMs), false, 100);
    expect(inRoom.reports).toEqual(['from 100', ...gaps]);
    const announcedLate = openCoverage();
    announcedLate.coverage.connected(roomOf(since, [], leadMs), false, 100);
    expect(announcedLate.coverage.checkEarlyJoin(joined(joinedAt))).toBe(gaps.length > 0);
    expect(announcedLate.reports).toEqual(['from 100', ...gaps]);
  },
);

test('a later connection reports no early participant, and a join before any connection begins no gap', () => {
  const { coverage, reports } = openCoverage();
  expect(coverage.checkEarlyJoin(joined(60))).toBe(false);
  coverage.connected(roomOf(90), false, 100);
  coverage.interrupted(lostRoom('gone', 190), Infinity, 200);
  coverage.connected(roomOf(290, [260]), false, 300);
  expect(reports).toEqual(['from 100', 'to 200: connection_lost', 'from 300']);
});

test('a room that was given up covered nothing since the server had another room of its name', () => {
  const { coverage, reports } = openCoverage();
  coverage.connected(roomOf(), false, 100);
  coverage.interrupted({ ...lostRoom('gone', 130, 'ROOM_SPLIT'), lostSince: 120 }, Infinity, 150);
  expect(reports).toEqual(['from 100', 'to 120: room_split']);
});

test('nothing is covered while participants are in another room, whatever the connection does', () => {
  const { coverage, reports } = openCoverage();
  coverage.connected(roomOf(), false, 100);
  coverage.split(120);
  coverage.split(110);
  coverage.interrupted(lostRoom('gone', 190), Infinity, 200);
  coverage.connected(roomOf(), false, 300);
  coverage.reunited(true, 400);
  coverage.reunited(true, 500);
  expect(reports.filter((report) => report.startsWith('from'))).toEqual(['from 100', 'from 400']);
  expect(reports[1]).toBe('to 120: room_split');
});

test('participants come back to one room while nothing is connected: the next connection begins an interval', () => {
  const { coverage, reports } = openCoverage();
  coverage.connected(roomOf(), false, 100);
  coverage.split(50);
  coverage.reunited(false, 200);
  coverage.connected(roomOf(), false, 300);
  expect(reports).toEqual(['from 100', 'to 100: room_split', 'from 300']);
});

test('a text that is lost in the moment in which it came leaves a gap of a millisecond', () => {
  const { coverage, reports } = openCoverage();
  coverage.cutTexts(5, 5, 'lost');
  coverage.cutTexts(5, 9, 'lost');
  expect(reports).toEqual(['nobody 5 to 6: lost', 'nobody 5 to 9: lost']);
});
