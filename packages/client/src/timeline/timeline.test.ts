import type { Message } from '@session/contract';
import { messageIdOf } from '@session/contract/room';
import { expect, test } from 'vitest';
import { SESSION } from '../../testing/model/history.ts';
import { live, participant } from '../../testing/model/live.ts';
import {
  heard,
  idOf,
  ME,
  opened,
  present,
  row,
  shown,
  tellLatest,
  timeOf,
  USER,
} from '../../testing/timelines.ts';
import { Timeline } from './timeline.ts';

test('our own message is sending, then complete at its place in the history', () => {
  const timeline = opened([1, 3]);
  timeline.say({ id: idOf(4), content: 'mine', participant: ME });
  expect(shown(timeline)).toEqual(['row 1: complete', 'row 3: complete', 'mine: sending']);
  const [key] = timeline
    .getSnapshot()
    .items.slice(-1)
    .map((item) => item.key);
  const metadata = { kind: 'text', participant: participant(USER), rawId: idOf(4) };
  tellLatest(timeline, [row(4, { content: 'mine', metadata }), row(5)]);
  expect(shown(timeline)).toEqual([
    'row 1: complete',
    'row 3: complete',
    'mine: complete',
    'row 5: complete',
  ]);
  expect(timeline.getSnapshot().items[2]?.key).toBe(key);
});

test.each(['failed', 'unrecorded'] as const)(
  'our own message that is %s is sending again when it is said once more',
  (mark) => {
    const timeline = opened([1]);
    timeline.say({ id: idOf(2), content: 'mine', participant: ME });
    timeline.mark(timeline.getSnapshot().items[1]?.key ?? '', mark);
    expect(shown(timeline)).toEqual(['row 1: complete', `mine: ${mark}`]);
    timeline.say({ id: idOf(2), content: 'mine', participant: ME });
    expect(shown(timeline)).toEqual(['row 1: complete', 'mine: sending']);
  },
);

test('an erased message stays erased, whatever the room or the history still says, and the live copy goes', () => {
  const timeline = opened([1]);
  const metadata = { kind: 'text', erased: { at: timeOf(3), erasureId: idOf(9) } };
  const erased = row(2, { content: '', metadata });
  timeline.say({ id: idOf(2), content: 'mine', participant: ME });
  tellLatest(timeline, [erased]);
  expect(shown(timeline)).toEqual(['row 1: complete', ': complete']);
  const own = { kind: 'text', participant: participant(USER), rawId: idOf(2) };
  tellLatest(timeline, [row(2, { content: 'mine', metadata: own })]);
  timeline.say({ id: idOf(2), content: 'mine', participant: ME });
  expect(shown(timeline)).toEqual(['row 1: complete', ': complete']);
  const before = opened([1]);
  tellLatest(before, [row(2, { content: 'mine', metadata: own })]);
  tellLatest(before, [erased]);
  expect(shown(before)).toEqual(['row 1: complete', ': complete']);
});

test('an imported history is followed from the import on, not from when it was said', () => {
  const timeline = new Timeline();
  const imported = { createdAt: timeOf(9), metadata: { kind: 'text', source: 'import' } };
  timeline.first({ items: [row(2, imported), row(1, imported)], nextCursor: null });
  expect(timeline.askLatest()?.since).toBe(timeOf(9));
});

test('an answer to a send that comes before the first page waits for it', () => {
  const timeline = new Timeline();
  const metadata = { kind: 'text', participant: participant(USER), rawId: idOf(2) };
  for (const [at, isShown] of [
    [2, false],
    [9, true],
  ] as const) {
    timeline.reset();
    timeline.say({ id: idOf(at), content: 'mine', participant: ME });
    timeline.confirm(row(at, { content: 'mine', metadata: { ...metadata, rawId: idOf(at) } }));
    expect(shown(timeline)).toContain('mine: sending');
    // The row is newer than the page, or so old that the page does not contain it.
    timeline.first({ items: [row(6), row(5)], nextCursor: idOf(5) });
    expect(shown(timeline).includes('mine: complete')).toBe(isShown);
    expect(shown(timeline)).not.toContain('mine: sending');
  }
});

test('a message of the room is speaking, unconfirmed, then complete, behind what was said meanwhile', () => {
  const timeline = opened([1]);
  timeline.hear(heard(2, 'Good', false));
  timeline.hear(heard(3, 'Wait', true, 'ben'));
  expect(shown(timeline)).toEqual(['row 1: complete', 'Wait: unconfirmed', 'Good: speaking']);
  timeline.hear(heard(2, 'Good morning', true));
  expect(shown(timeline)).toEqual([
    'row 1: complete',
    'Wait: unconfirmed',
    'Good morning: unconfirmed',
  ]);
  timeline.hear(heard(2, 'Good', false));
  expect(shown(timeline).at(-1)).toBe('Good morning: unconfirmed');
  const metadata = { participant: participant('ben'), kind: 'text' };
  tellLatest(timeline, [
    row(3, { content: 'Wait', metadata }),
    row(4),
    row(2, { content: 'Good morning', timestamp: timeOf(5) }),
  ]);
  expect(shown(timeline)).toEqual([
    'row 1: complete',
    'Wait: complete',
    'row 4: complete',
    'Good morning: complete',
  ]);
});

test('the room’s longer text is shown instead of a stored part, until the room is lost', () => {
  const timeline = opened([1]);
  timeline.hear(heard(2, 'One two three', false));
  const pending = row(2, { content: 'One two', status: 'pending' });
  tellLatest(timeline, [pending]);
  expect(shown(timeline)).toEqual(['row 1: complete', 'One two three: speaking']);
  timeline.roomLost();
  expect(shown(timeline)).toEqual(['row 1: complete', 'One two: pending']);
  tellLatest(timeline, [{ ...pending, content: 'One two three four' }], timeOf(7));
  tellLatest(timeline, [pending], timeOf(7));
  expect(shown(timeline)).toEqual(['row 1: complete', 'One two three four: pending']);
  tellLatest(timeline, [{ ...pending, content: 'One', status: 'complete' }], timeOf(8));
  expect(shown(timeline)).toEqual(['row 1: complete', 'One: complete']);
});

test('a segment’s later stream replaces the earlier one, also with a shorter text', () => {
  const timeline = opened([]);
  timeline.hear(heard(1, 'I would like too', false));
  timeline.hear(heard(1, 'I’d like two', false));
  expect(shown(timeline)).toEqual(['I’d like two: speaking']);
});

test('a text whose stream broke is no longer being said: it stands where it broke, until more of it arrives', () => {
  const timeline = opened([]);
  const said = { id: idOf(1), sender: 'ada', content: 'Let me exp' };
  timeline.hear(live(said, 'open'));
  timeline.hear(heard(2, 'Hello?', true, 'ben'));
  timeline.hear(live(said, 'broken'));
  timeline.hear(heard(3, 'Ada?', true, 'ben'));
  const broken = ['Hello?: unconfirmed', 'Let me exp: unconfirmed', 'Ada?: unconfirmed'];
  expect(shown(timeline)).toEqual(broken);
  timeline.hear(live(said, 'broken'));
  timeline.roomLost();
  expect(shown(timeline)).toEqual(broken);
  timeline.hear(live({ ...said, content: 'Let me' }, 'open'));
  expect(shown(timeline).at(-1)).toBe('Let me: speaking');
  timeline.hear(live({ ...said, content: 'Let me explain' }, 'final'));
  expect(shown(timeline).at(-1)).toBe('Let me explain: unconfirmed');
});

test('a transcript whose agent left is no longer being said, until another agent sends more of it', () => {
  const timeline = opened([]);
  const said = { id: idOf(1), sender: 'ada', content: 'Good mor' };
  timeline.hear(live(said, 'interim'));
  timeline.participantLeft({ identity: 'ben', kind: 'standard' });
  expect(shown(timeline)).toEqual(['Good mor: speaking']);
  timeline.participantLeft({ identity: 'AJ_x1y2z3', kind: 'agent' });
  timeline.hear(heard(2, 'Ada?', true, 'ben'));
  expect(shown(timeline)).toEqual(['Good mor: unconfirmed', 'Ada?: unconfirmed']);
  timeline.hear(live({ ...said, content: 'Good morning' }, 'interim'));
  expect(shown(timeline)).toEqual(['Ada?: unconfirmed', 'Good morning: speaking']);
  timeline.participantLeft({ identity: 'ada', kind: 'standard' });
  expect(shown(timeline)).toEqual(['Ada?: unconfirmed', 'Good morning: unconfirmed']);
  timeline.hear(live({ ...said, content: 'Good morning.' }, 'final'));
  expect(shown(timeline)).toEqual(['Ada?: unconfirmed', 'Good morning.: unconfirmed']);
});

test('a lost room drops unfinished messages, and keeps finished ones', () => {
  const timeline = opened([]);
  timeline.hear(heard(1, 'Hel', false));
  timeline.hear(heard(2, 'Done', true));
  timeline.roomLost();
  expect(shown(timeline)).toEqual(['Done: unconfirmed']);
});

test('a message that arrives while rows are missing stands at the end, and behind those rows later', () => {
  const timeline = opened([1]);
  timeline.roomLost();
  const asked = present(timeline.askLatest());
  timeline.hear(heard(9, 'now', true));
  timeline.latest(asked, { items: [row(2)], nextSince: timeOf(2), hasMore: true });
  expect(shown(timeline)).toEqual(['row 1: complete', 'row 2: complete', 'now: unconfirmed']);
  expect(timeline.getSnapshot().catchingUp).toBe(true);
  // This answer was requested before the room was lost again, so it may lack messages that were missed then.
  timeline.roomLost();
  timeline.latest(asked, { items: [], nextSince: timeOf(2), hasMore: false });
  expect(timeline.getSnapshot().catchingUp).toBe(true);
  tellLatest(timeline, [row(3)]);
  expect(timeline.getSnapshot().catchingUp).toBe(false);
  tellLatest(timeline, [row(4)]);
  expect(shown(timeline).slice(-2)).toEqual(['now: unconfirmed', 'row 4: complete']);
});

test('two senders of one id are two items with their own keys, and the renamed row replaces the second', () => {
  const timeline = opened([]);
  timeline.hear(heard(1, 'mine', true, 'ada'));
  timeline.hear(heard(1, 'no, mine', true, 'ben'));
  const ids = timeline.getSnapshot().items.map(({ id }) => id);
  const keys = timeline.getSnapshot().items.map(({ key }) => key);
  expect([new Set(ids).size, new Set(keys).size]).toEqual([1, 2]);
  const conflict = {
    participant: participant('ben'),
    kind: 'text',
    rawId: idOf(1),
    idConflict: true,
  };
  tellLatest(timeline, [
    row(1, { content: 'mine' }),
    row(2, { content: 'no, mine', metadata: conflict }),
  ]);
  expect(shown(timeline)).toEqual(['mine: complete', 'no, mine: complete']);
  expect(timeline.getSnapshot().items.map(({ key }) => key)).toEqual(keys);
  timeline.hear(heard(1, 'no, mine', true, 'ben'));
  expect(shown(timeline)).toHaveLength(2);
});

test('the API’s packet of a text that it renamed, which names no sender, belongs to the row', () => {
  const timeline = opened([1]);
  const conflict = { kind: 'text', rawId: idOf(1), idConflict: true };
  const metadata = { ...conflict, participant: participant('ben') };
  tellLatest(timeline, [row(2, { content: 'Hi', metadata })]);
  timeline.hear(live({ id: idOf(1), sender: null, content: 'Hi' }, 'final'));
  expect(shown(timeline)).toEqual(['row 1: complete', 'Hi: complete']);
  timeline.hear(live({ id: idOf(1), sender: null, content: 'Bye' }, 'final'));
  timeline.hear(live({ id: idOf(3), sender: null, content: 'Hi' }, 'final'));
  expect(shown(timeline).slice(2)).toEqual(['Bye: unconfirmed', 'Hi: unconfirmed']);
});

test('a renamed row is found under a raw id that is no UUID', () => {
  const timeline = opened([]);
  const id = messageIdOf(SESSION, 'text', 'hello-1');
  timeline.hear(live({ id, sender: 'ben', content: 'Hi' }, 'final'));
  const metadata = {
    participant: participant('ben'),
    kind: 'text',
    rawId: 'hello-1',
    idConflict: true,
  };
  tellLatest(timeline, [row(2, { content: 'Hi', metadata })]);
  expect(shown(timeline)).toEqual(['Hi: complete']);
});

test.each([null, 'null'])(
  'another text of the sender %j is not taken for the renamed row of an unknown one',
  (sender) => {
    const timeline = opened([]);
    const metadata = { participant: null, kind: 'text', rawId: idOf(1), idConflict: true };
    tellLatest(timeline, [row(2, { content: 'Hi', metadata })]);
    timeline.hear(live({ id: idOf(1), sender, content: 'Bye' }, 'final'));
    expect(shown(timeline)).toEqual(['Hi: complete', 'Bye: unconfirmed']);
  },
);

test.each<[string, Message['metadata']]>([
  ['no metadata', null],
  ['a participant that is none', { participant: 'ada' }],
  ['a participant without an identity', { participant: { name: 'Ada' } }],
  ['an unknown kind', { kind: 'hologram' }],
])('a row with %s is shown, by its content', (_, metadata) => {
  const timeline = opened([]);
  tellLatest(timeline, [row(1, { metadata })]);
  const kind = metadata?.['kind'] ?? 'text';
  expect(timeline.getSnapshot().items).toMatchObject([
    { content: 'row 1', participant: null, kind },
  ]);
});
