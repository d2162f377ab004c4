import { expect, test } from 'vitest';
import { empty, NEWER, news, openReaders } from '../../../testing/waiting-readers.ts';
import { ReadsInTurn } from './reads-in-turn.ts';

test('of many reads five run at once; for whoever leaves before the turn nothing is read', async () => {
  await using world = openReaders();
  const { readers } = world;
  const running: string[] = [];
  const end = Promise.withResolvers<void>();
  const leaving = new AbortController();
  const read = (name: string, { promise } = end, signal?: AbortSignal) =>
    readers.inTurn(
      'ana',
      async () => {
        running.push(name);
        await promise;
      },
      signal,
    );
  const first = Promise.withResolvers<void>();
  const reads = [read('1', first), ...['2', '3', '4', '5'].map((name) => read(name))];
  const left = read('left', end, leaving.signal);
  reads.push(read('6'));
  expect(running).toEqual(['1', '2', '3', '4', '5']);
  leaving.abort();
  first.resolve();
  await expect(left).rejects.toMatchObject({ code: 'unavailable' });
  end.resolve();
  await Promise.all(reads);
  expect(running).toEqual(['1', '2', '3', '4', '5', '6']);
});

test('while the read for woken readers waits for its turn they leave as any others; then it serves who waits by then', async () => {
  const clock = { ms: 0 };
  await using world = openReaders(() => clock.ms);
  const { readers, heads, messages, wait, first } = world;
  const end = Promise.withResolvers<void>();
  const others = ['1', '2', '3', '4', '5'].map((name) => readers.inTurn(name, () => end.promise));
  const waiting = wait(first);
  heads.set(first, NEWER);
  await expect.poll(() => messages.listHeads.mock.calls.length).toBeGreaterThan(1);
  clock.ms = 25_000;
  expect(await waiting).toBe(empty);
  const later = wait(first, 'ben');
  end.resolve();
  await Promise.all(others);
  expect(await later).toBe(news);
  expect(messages.latestMessagesOfReaders.mock.calls).toMatchObject([[{ userIds: ['ben'] }]]);
});

test('a read whose turn comes too late is not begun, and one that fails makes room', async () => {
  const reads = new ReadsInTurn(5000, 1);
  const running = Promise.withResolvers<never>();
  const first = reads.run('ana', () => running.promise);
  let begun = 0;
  const read = async () => {
    begun += 1;
  };
  const late = reads.run('ana', read, { waitMs: 0 });
  const patient = reads.run('ben', read);
  const since = performance.now();
  while (performance.now() <= since);
  running.reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  await patient;
  expect(begun).toBe(1);
});
