import type { TimelineItem } from '@session/client';
import { describe, expect, test } from 'vitest';
import { dayText } from './day-text.ts';
import {
  eventSender,
  gapOf,
  isGroupStart,
  isNewDay,
  marksOf,
  nameOf,
  transcribersOf,
  unknownKindOf,
  voiceOf,
} from './message-facts.ts';
import { holds, indexAt, nextGap } from './positions.ts';

const USER = '01a20316-eea5-71fb-b52e-cc867c11482a';
const at = (second: number) => new Date(2026, 0, 1, 10, 0, second).toISOString();

function item(given: Partial<TimelineItem> = {}): TimelineItem {
  return {
    key: 'message-1',
    id: '1',
    role: 'user',
    kind: 'text',
    content: 'Hello',
    participant: { identity: `user-${USER}-abc`, name: 'Ada', sid: null, kind: 'standard' },
    metadata: null,
    timestamp: at(0),
    deliveredTo: null,
    state: 'complete',
    ...given,
  };
}

const agentNamed = (name: string) =>
  nameOf(item({ participant: { identity: 'x', name, sid: null, kind: 'agent' } }));

const gap = (from: number, to: number): TimelineItem =>
  item({
    role: 'system',
    kind: 'recording_gap',
    participant: null,
    timestamp: at(to + 5),
    metadata: { from: at(from), to: at(to), reason: 'connection_lost' },
  });

describe('a group', () => {
  test('goes on over stays of one user in the room, and over words that are not stored yet', () => {
    const stored = item({
      participant: { identity: `user-${USER}`, name: 'Ada', sid: null, kind: 'standard' },
    });
    expect(isGroupStart(item({ timestamp: at(1) }), stored)).toBe(false);
    expect(isGroupStart(item({ timestamp: null, state: 'sending' }), stored)).toBe(false);
  });

  test('ends with another sender, an event, a long silence and a day', () => {
    const agent = { identity: 'agent-1', name: 'Echo', sid: null, kind: 'agent' };
    expect(isGroupStart(item({ participant: agent }), item())).toBe(true);
    expect(isGroupStart(item(), gap(0, 1))).toBe(true);
    expect(isGroupStart(item({ timestamp: at(301) }), item())).toBe(true);
    const tomorrow = new Date(2026, 0, 2, 0, 0, 1).toISOString();
    const lastNight = new Date(2026, 0, 1, 23, 59, 59).toISOString();
    expect(isGroupStart(item({ timestamp: tomorrow }), item({ timestamp: lastNight }))).toBe(true);
    expect(isNewDay(item({ timestamp: tomorrow }), item({ timestamp: lastNight }))).toBe(true);
  });
});

test('a sender without a participant has a name, and a voice by its role', () => {
  expect(nameOf(item({ participant: null, role: 'assistant' }))).toBe('Agent');
  expect(voiceOf(item({ participant: null, role: 'assistant' }), USER)).toBe('agent');
  expect(voiceOf(item(), USER)).toBe('self');
  expect(voiceOf(item(), undefined)).toBe('other');
});

test('an agent that is named after its role has that as a name', () => {
  expect(['echo-agent', 'conversational-ai', 'Ada', 'e-mail', ''].map(agentNamed)).toEqual([
    'Echo agent',
    'Conversational AI',
    'Ada',
    'e-mail',
    'x',
  ]);
});

test('a message says how it ended: a pending one is unfinished, an interrupted one is not also truncated', () => {
  expect(marksOf(item({ state: 'pending', metadata: { truncated: true } }))).toEqual([
    'unfinished',
  ]);
  expect(marksOf(item({ metadata: { interrupted: true, truncated: true } }))).toEqual([
    'interrupted',
  ]);
  expect(marksOf(item({ metadata: { truncated: true } }))).toEqual(['truncated']);
  expect(marksOf(item({ metadata: { interrupted: 'true' } }))).toEqual([]);
});

test('a message that an agent wrote in a person’s name says so', () => {
  const transcribed = (...transcribers: string[]) => item({ metadata: { transcribers } });
  expect(transcribersOf(item())).toBeUndefined();
  expect(transcribersOf(transcribed('agent-core-agent-1a2b3c4d'))).toBe('Core agent');
  expect(transcribersOf(transcribed('agent-core-agent-1a2b3c4d', 'python'))).toBe(
    'Core agent or python',
  );
  expect(transcribersOf(transcribed())).toBe('an agent that has left');
  const forged = { ...transcribed('agent-core-agent-1a2b3c4d'), role: 'system' } as const;
  expect(eventSender(forged)).toBe('Core agent, in the name of Ada:');
});

test('a kind that is unknown to this console has its name', () => {
  expect(unknownKindOf(item({ kind: 'poll' }))).toBe('poll');
  expect(unknownKindOf(item({ role: 'system', kind: 'weather_changed' }))).toBe('weather_changed');
  expect(unknownKindOf(item({ role: 'system', kind: 'participant_left' }))).toBeUndefined();
  expect(unknownKindOf(item({ kind: 'transcript' }))).toBeUndefined();
});

test('a gap without its times is an event like any other', () => {
  expect(gapOf(item({ role: 'system', kind: 'recording_gap', metadata: { from: 3 } }))).toBe(
    undefined,
  );
});

test('a flood of one sender is an event like any other, which says who it was: all others are recorded', () => {
  const metadata = { from: at(1), to: at(2), reason: 'flood', count: 7 };
  expect(gapOf(item({ role: 'system', kind: 'recording_gap', metadata }))).toBe(undefined);
});

describe('a place in the list', () => {
  const items = [item({ timestamp: at(0) }), item({ timestamp: at(10) }), gap(12, 20)];

  test('is the first message not before a time, and a gap’s divider for the end of the gap', () => {
    expect(indexAt(items, at(1))).toBe(1);
    expect(indexAt(items, at(20))).toBe(2);
    expect(indexAt(items, at(99))).toBe(2);
    expect(indexAt([], at(1))).toBe(-1);
  });

  test('is held when something before it is held, or nothing older exists', () => {
    expect(holds(items, true, at(5))).toBe(true);
    expect(holds(items, true, at(0))).toBe(false);
    expect(holds(items, false, at(0))).toBe(true);
    expect(holds([], true, at(0))).toBe(false);
  });

  test('has a gap before and after it', () => {
    const gaps = [12, 40].map((from) => ({ from: at(from), to: at(from + 8), reason: 'x' }));
    expect(nextGap(gaps, at(30), 1)?.from).toBe(at(40));
    expect(nextGap(gaps, at(30), -1)?.from).toBe(at(12));
    expect(nextGap(gaps, at(20), -1)).toBeUndefined();
  });
});

test('a day is named from today', () => {
  const now = new Date(2026, 2, 1, 0, 30);
  expect(dayText(new Date(2026, 2, 1, 0, 1).toISOString(), now)).toBe('Today');
  expect(dayText(new Date(2026, 1, 28, 23, 59).toISOString(), now)).toBe('Yesterday');
  expect(dayText(new Date(2026, 0, 5).toISOString(), now)).toBe('Monday 5 January');
  expect(dayText(new Date(2025, 0, 5).toISOString(), now)).toContain('2025');
});
