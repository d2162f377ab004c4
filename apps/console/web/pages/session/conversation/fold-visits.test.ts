import type { TimelineItem } from '@session/client';
import { array, assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldVisits, shows, visitsText } from './fold-visits.ts';

const USERS: Readonly<Record<string, string>> = {
  Ada: '01a20316-eea5-71fb-b52e-cc867c11482a',
  Ben: '01a20316-eea5-71fb-b52e-cc867c11482b',
  Echo: '01a20316-eea5-71fb-b52e-cc867c11482c',
};
const MIDNIGHT = new Date(2026, 0, 2).getTime();

/** Returns a join for `+Ada 1` (Ada's first stay begins), a leave for `-Ada 1` (it ends), and words for any other text. */
function message(text: string, second: number): TimelineItem {
  const [, sign, name = '', stay] = /^([+-])(\w+) (\d)$/.exec(text) ?? [];
  const identity = `user-${USERS[name]}-${stay}`;
  const kind = sign === '+' ? 'participant_joined' : 'participant_left';
  return {
    key: `message-${second}`,
    id: `${second}`,
    role: sign ? 'system' : 'user',
    kind: sign ? kind : 'text',
    content: text,
    participant: { identity, name, sid: null, kind: 'standard' },
    metadata: null,
    timestamp: new Date(MIDNIGHT + second * 1000).toISOString(),
    deliveredTo: null,
    state: 'complete',
  };
}

const messages = (texts: readonly string[], from = 1) =>
  texts.map((text, index) => message(text, from + index));

const lengths = (items: readonly TimelineItem[]) =>
  foldVisits(items).map(({ visits }) => visits?.length ?? 1);

describe('joins and leaves', () => {
  test('are one row from three in a row, and end with words and with the day', () => {
    expect(lengths(messages(['+Ada 1', '-Ada 1', 'Hello', '+Ada 2', '-Ada 2', '+Ada 3']))).toEqual([
      1, 1, 1, 3,
    ]);
    expect(lengths(messages(['+Ada 1', '-Ada 1', '+Ada 2', '-Ada 2', '+Ada 3'], -3))).toEqual([
      3, 1, 1,
    ]);
  });

  test('keep the key of their row when older ones are read', () => {
    const all = messages(['+Ada 1', '-Ada 1', '+Ada 2', '-Ada 2', '+Ada 3']);
    expect(foldVisits(all).map(({ key }) => key)).toEqual(
      foldVisits(all.slice(2)).map(({ key }) => key),
    );
  });

  test('keep the key of their row when more follow', () => {
    const all = messages(['+Ada 1', '-Ada 1', '+Ada 2', '-Ada 2', '+Ada 3', 'Hello', '+Ben 1']);
    const runKeys = new Set<string>();
    const keys = [3, 4, 5, 7].map((length) => foldVisits(all.slice(0, length), runKeys)[0]?.key);
    expect(new Set(keys)).toEqual(new Set(['message-3']));
    expect(foldVisits(all.slice(1), runKeys)[0]?.key).toBe('message-3');
  });

  test('never hide a message, and each one is found in its own row', () => {
    const texts = array(constantFrom('+Ada 1', '-Ada 1', '+Ben 1', 'Hello'));
    assert(
      property(texts, nat(10), (given, from) => {
        const items = messages(given, from - 9);
        const rows = foldVisits(items);
        expect(rows.flatMap(({ item, visits }) => visits ?? [item])).toEqual(items);
        for (const { key } of items) expect(rows.filter((row) => shows(row, key))).toHaveLength(1);
      }),
    );
  });

  test.for([
    [['+Ada 1', '+Echo 1', '-Ada 1'], 'Ada joined and left, Echo joined'],
    [['-Ada 1', '+Ada 2', '-Ada 2', '+Ada 3'], 'Ada came back twice'],
    // A reload: the new stay begins before the old one has ended.
    [['+Ada 2', '-Ada 1', '-Ben 1'], 'Ada came back, Ben left'],
    [['+Ada 1', '-Ada 1', '+Ada 2'], 'Ada joined'],
  ] as const)('%j are told as: %s', ([texts, sentence]) => {
    expect(visitsText(messages(texts))).toBe(sentence);
  });
});
