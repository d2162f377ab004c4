import { expect, test } from 'vitest';
import { SessionNews } from './session-news.ts';

const waiting = new Map([
  ['first', 1],
  ['second', 2],
]);

function openNews() {
  const clock = { ms: 50_000 };
  return { clock, news: new SessionNews(100, () => clock.ms) };
}

test('all sessions with readers are due every 100 ms, and once a second after the first notification', () => {
  const { clock, news } = openNews();
  const dueAfter = (ms: number) => {
    clock.ms += ms;
    return news.take(waiting);
  };
  const all = ['first', 'second'];
  expect([dueAfter(0), dueAfter(99), dueAfter(1)]).toEqual([all, [], all]);
  news.stored(['third']);
  expect([dueAfter(100), dueAfter(999), dueAfter(1)]).toEqual([all, [], all]);
});

test('a session to look at is due once, and only while readers wait in it', () => {
  const { news } = openNews();
  news.take(waiting);
  news.lookAt('second');
  news.lookAt('third');
  expect([news.take(waiting), news.take(waiting)]).toEqual([['second'], []]);
});

test('a session has fresh news for a second after its newest notification', () => {
  const { clock, news } = openNews();
  news.stored(['first', 'second']);
  clock.ms += 600;
  news.stored(['first']);
  clock.ms += 400;
  expect(['first', 'second'].map((id) => news.isFresh(id))).toEqual([true, false]);
  clock.ms += 600;
  expect(news.isFresh('first')).toBe(false);
});

test('after news of all sessions, all are due and have fresh news', () => {
  const { clock, news } = openNews();
  news.take(waiting);
  news.storedAll();
  expect([news.isFresh('third'), news.take(waiting)]).toEqual([true, ['first', 'second']]);
  clock.ms += 1000;
  expect(news.isFresh('third')).toBe(false);
});
