import { expect, test } from 'vitest';
import { NotifiedSessions } from './notified-sessions.ts';

const waiting = new Map([
  ['first', 1],
  ['second', 2],
]);

function openSessions() {
  const clock = { ms: 50_000 };
  return { clock, notified: new NotifiedSessions(100, () => clock.ms) };
}

test('all sessions with readers are due every 100 ms, and once a second after the first notification', () => {
  const { clock, notified } = openSessions();
  const dueAfter = (ms: number) => {
    clock.ms += ms;
    return notified.take(waiting);
  };
  const all = ['first', 'second'];
  expect([dueAfter(0), dueAfter(99), dueAfter(1)]).toEqual([all, [], all]);
  notified.stored(['third']);
  expect([dueAfter(100), dueAfter(999), dueAfter(1)]).toEqual([all, [], all]);
});

test('a session to look at is due once, and only while readers wait in it', () => {
  const { notified } = openSessions();
  notified.take(waiting);
  notified.lookAt('second');
  notified.lookAt('third');
  expect([notified.take(waiting), notified.take(waiting)]).toEqual([['second'], []]);
});

test('a session counts as notified lately for a second after its newest notification', () => {
  const { clock, notified } = openSessions();
  notified.stored(['first', 'second']);
  clock.ms += 600;
  notified.stored(['first']);
  clock.ms += 400;
  expect(['first', 'second'].map((id) => notified.wasNotifiedLately(id))).toEqual([true, false]);
  clock.ms += 600;
  expect(notified.wasNotifiedLately('first')).toBe(false);
});

test('after a notification for all sessions, all are due and count as notified lately', () => {
  const { clock, notified } = openSessions();
  notified.take(waiting);
  notified.storedAll();
  expect([notified.wasNotifiedLately('third'), notified.take(waiting)]).toEqual([
    true,
    ['first', 'second'],
  ]);
  clock.ms += 1000;
  expect(notified.wasNotifiedLately('third')).toBe(false);
});
