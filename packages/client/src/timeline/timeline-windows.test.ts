import { expect, test } from 'vitest';
import { live } from '../../testing/model/live.ts';
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
} from '../../testing/timelines.ts';
import { Timeline } from './timeline.ts';

test('a trimmed window reads on from its oldest row, and ignores a page that was requested before', () => {
  const timeline = opened([1, 2, 3, 4], idOf(1));
  const before = present(timeline.askOlder());
  expect(before.cursor).toBe(idOf(1));
  expect(timeline.trim(0)).toBe(true);
  expect(timeline.trim(1)).toBe(false);
  expect(shown(timeline)).toEqual(['row 4: complete']);
  expect(timeline.older(before, { items: [row(0)], nextCursor: null })).toBe(false);
  const asked = present(timeline.askOlder());
  expect(asked.cursor).toBe(idOf(4));
  timeline.older(asked, { items: [row(3), row(2)], nextCursor: null });
  expect(shown(timeline)).toHaveLength(3);
  expect([timeline.askOlder(), timeline.getSnapshot().hasOlder]).toEqual([undefined, false]);
});

test('a trim keeps 500 of the messages that are not stored, and all of our own', () => {
  const timeline = opened([1]);
  timeline.say({ id: idOf(3000), content: 'mine', participant: ME });
  for (let number = 2; number < 3000; number += 1) {
    timeline.hear(heard(number, `loose ${number}`, true));
  }
  expect(timeline.trim(5000)).toBe(true);
  expect(timeline.trim(5000)).toBe(false);
  const contents = timeline.getSnapshot().items.map(({ content }) => content);
  expect(contents).toHaveLength(502);
  expect([...contents.slice(0, 3), contents.at(-1)]).toEqual([
    'row 1',
    'mine',
    'loose 2500',
    'loose 2999',
  ]);
});

test('no more than 2,000 messages that are not stored are held, also where nothing is trimmed', () => {
  const timeline = opened([1]);
  for (let number = 2; number < 6000; number += 1) {
    timeline.hear(heard(number, `loose ${number}`, true));
  }
  const { items } = timeline.getSnapshot();
  expect(items.length).toBeLessThanOrEqual(2001);
  expect(items.at(-1)?.content).toBe('loose 5999');
});

test('a detached window grows both ways, and becomes one with the live window when they meet', () => {
  const timeline = opened([8, 9], idOf(8));
  const asked = present(timeline.askDetached());
  timeline.openDetached(asked, [row(4), row(3)], true);
  const older = present(timeline.askDetachedOlder());
  timeline.detachedOlder(older, { items: [row(2)], nextCursor: null });
  const detached = () => timeline.getDetachedSnapshot()?.items.map(({ content }) => content);
  expect([older.cursor, detached()]).toEqual([idOf(3), ['row 2', 'row 3', 'row 4']]);
  expect(shown(timeline)).toEqual(['row 8: complete', 'row 9: complete']);
  const newer = present(timeline.askDetachedNewer());
  expect(newer.since).toBe(timeOf(4));
  // Some of the rows in between are missing, so another page is needed.
  expect(timeline.detachedNewer(newer, [row(7), row(6)])).toBe(false);
  expect(timeline.detachedNewer(newer, [row(7), row(6), row(5), row(4)])).toBe(true);
  const last = present(timeline.askDetachedNewer());
  timeline.detachedNewer(last, [row(8), row(7)]);
  expect(detached()).toBeUndefined();
  expect(shown(timeline)).toHaveLength(8);
  expect(timeline.getSnapshot().hasOlder).toBe(false);
});

test('a page requested before a detached window opened or closed is ignored: it may have older versions of its rows', () => {
  const timeline = opened([8, 9], idOf(8));
  const first = present(timeline.askDetached());
  expect(timeline.openDetached(first, [row(4), row(3)], true)).toBe(true);
  expect(timeline.openDetached(first, [row(4), row(3)], true)).toBe(false);
  const second = present(timeline.askDetached());
  expect(timeline.closeDetached()).toBe(true);
  expect(timeline.openDetached(second, [row(4), row(3)], true)).toBe(false);
  expect(timeline.getDetachedSnapshot()).toBe(undefined);
});

test('a row that is completed while a detached window shows it changes there too', () => {
  const timeline = opened([8, 9], idOf(8));
  const asked = present(timeline.askDetached());
  const pending = row(3, { status: 'pending', content: 'One' });
  timeline.openDetached(asked, [row(4), pending], true);
  tellLatest(timeline, [{ ...pending, status: 'complete', content: 'One two' }], timeOf(10));
  expect(timeline.getDetachedSnapshot()?.items[0]).toMatchObject({
    content: 'One two',
    state: 'complete',
  });
  expect(timeline.closeDetached()).toBe(true);
  expect([timeline.getDetachedSnapshot(), timeline.closeDetached()]).toEqual([undefined, false]);
});

test('a detached window that replaces another brings back no older version of a row of both', () => {
  const timeline = opened([8, 9], idOf(8));
  timeline.openDetached(present(timeline.askDetached()), [row(4), row(3)], true);
  const asked = present(timeline.askDetached());
  const erased = row(3, { content: '', metadata: { erased: timeOf(9) } });
  tellLatest(timeline, [erased], timeOf(10));
  expect(timeline.openDetached(asked, [row(5), row(4), row(3)], true)).toBe(true);
  const contents = timeline.getDetachedSnapshot()?.items.map(({ content }) => content);
  expect(contents).toEqual(['', 'row 4', 'row 5']);
  timeline.closeDetached();
  timeline.openDetached(present(timeline.askDetached()), [row(4)], true);
  expect(timeline.getDetachedSnapshot()?.items).toHaveLength(1);
});

test('unseen counts messages that arrive while the reader is further up, until the end is seen', () => {
  const timeline = opened([1]);
  tellLatest(timeline, [row(2)]);
  timeline.setAtEnd(false);
  tellLatest(timeline, [row(3), row(4, { role: 'system', metadata: null })]);
  timeline.hear(heard(5, 'Hel', false));
  timeline.hear(heard(5, 'Hello', true));
  timeline.say({ id: idOf(6), content: 'mine', participant: ME });
  tellLatest(timeline, [row(5, { content: 'Hello' })]);
  expect(timeline.getSnapshot().unseen).toBe(2);
  timeline.setAtEnd(true);
  expect(timeline.getSnapshot().unseen).toBe(0);
});

test('unseen counts neither rows from before the window nor erased ones', () => {
  const timeline = opened([8], idOf(8));
  timeline.setAtEnd(false);
  const erased = row(9, { content: '', metadata: { erased: timeOf(9) } });
  tellLatest(timeline, [row(2), row(3), erased], timeOf(9));
  expect(timeline.getSnapshot().unseen).toBe(0);
  tellLatest(timeline, [row(10)]);
  expect(timeline.getSnapshot().unseen).toBe(1);
});

test('unseen counts no message twice, and none that has left the list', () => {
  const timeline = opened([1]);
  const unseen = () => timeline.getSnapshot().unseen;
  timeline.setAtEnd(false);
  timeline.hear(heard(2, 'Hel', false));
  timeline.roomLost();
  expect(unseen()).toBe(0);
  timeline.hear(heard(2, 'Hello', true));
  tellLatest(timeline, [row(2, { content: 'Hello' })]);
  expect(unseen()).toBe(1);
  // One message, of which the room names the sender only once.
  timeline.hear(heard(3, 'H', false));
  timeline.hear(live({ id: idOf(3), sender: null, content: 'Hi' }, 'final'));
  expect(unseen()).toBe(3);
  tellLatest(timeline, [row(3, { content: 'Hi' })]);
  expect(unseen()).toBe(2);
  timeline.hear(heard(4, 'never stored', true));
  tellLatest(timeline, [row(5)]);
  expect(unseen()).toBe(4);
  timeline.trim(1);
  expect([shown(timeline), unseen()]).toEqual([['row 5: complete'], 1]);
});

test('items that did not change stay the same objects, and so does a snapshot', () => {
  const timeline = opened([1, 2]);
  timeline.hear(heard(3, 'Hel', false));
  const before = timeline.getSnapshot();
  expect(timeline.getSnapshot()).toBe(before);
  timeline.hear(heard(3, 'Hello', false));
  const after = timeline.getSnapshot();
  expect(after).not.toBe(before);
  const same = after.items.map((item, index) => item === before.items[index]);
  expect(same).toEqual([true, true, false]);
  tellLatest(timeline, [row(1), row(2)]);
  expect(timeline.getSnapshot().items).toEqual(after.items);
  const again = timeline.getSnapshot().items.map((item, index) => item === after.items[index]);
  expect(again).toEqual([true, true, true]);
});

test('listeners are called once for a round of changes, and not after they have left', async () => {
  const timeline = opened([]);
  let calls = 0;
  const leave = timeline.subscribe(() => {
    calls += 1;
  });
  await Promise.resolve();
  calls = 0;
  timeline.hear(heard(1, 'a', false));
  timeline.hear(heard(1, 'b', false));
  expect(calls).toBe(0);
  await Promise.resolve();
  expect(calls).toBe(1);
  leave();
  timeline.hear(heard(1, 'c', true));
  await Promise.resolve();
  expect(calls).toBe(1);
});

test('before the first page there is no request to make', () => {
  const timeline = new Timeline();
  expect([
    timeline.askLatest(),
    timeline.askOlder(),
    timeline.askDetached(),
    timeline.askDetachedOlder(),
    timeline.askDetachedNewer(),
  ]).toEqual([undefined, undefined, undefined, undefined, undefined]);
  timeline.first({ items: [], nextCursor: null });
  expect(timeline.askLatest()?.since).toBe('1970-01-01T00:00:00.000Z');
});
