import type { LookupFunction } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lookupInTurns } from './member-lookup.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/**
 * Returns a lookup on a system that answers each name when the test says so. `answers` lists what callers got, by name.
 */
function openLookup() {
  const asked: string[] = [];
  const answers: unknown[][] = [];
  const pending = new Map<string, (address: string) => void>();
  const lookup = lookupInTurns((hostname, _options, callback) => {
    asked.push(hostname);
    pending.set(hostname, (address) => callback(null, address, 4));
  });
  return {
    asked,
    answers,
    find: (hostname: string, options: Parameters<LookupFunction>[1] = {}) =>
      lookup(hostname, options, (error, address) => {
        answers.push([hostname, error ?? address]);
      }),
    answer: async (hostname: string, address = '192.0.2.1') => {
      pending.get(hostname)?.(address);
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

test('the names of one domain occupy one lookup while its name servers are silent, and leave the others to other domains', () => {
  const { asked, find } = openLookup();
  for (let n = 0; n < 50; n += 1) find(`n${n % 25}.a.example`);
  find('b.example');
  expect(asked).toEqual(['n0.a.example', 'b.example']);
});

test('no more than four domains are looked up at once, however many there are', async () => {
  const { asked, find, answer } = openLookup();
  const domains = ['a.example', 'b.example', 'c.co.uk', 'd.co.uk', 'e.example', 'f.example'];
  for (const domain of domains) find(domain);
  find('x.c.co.uk');
  find('x.a.example.');
  expect(asked).toEqual(domains.slice(0, 4));
  await answer('c.co.uk');
  expect(asked.slice(4)).toEqual(['e.example']);
});

test('a lookup that got no turn within 5 s fails, and never reaches the system', async () => {
  const { asked, answers, find, answer } = openLookup();
  find('x.a.example');
  await vi.advanceTimersByTimeAsync(1000);
  find('y.a.example');
  await vi.advanceTimersByTimeAsync(4999);
  expect(answers).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  const message = 'no turn to resolve y.a.example: name servers do not answer';
  expect(answers.splice(0)).toEqual([
    ['y.a.example', expect.objectContaining({ code: 'ETIMEOUT', message })],
  ]);
  find('z.a.example');
  await answer('x.a.example');
  expect(answers).toEqual([['x.a.example', '192.0.2.1']]);
  expect(asked).toEqual(['x.a.example', 'z.a.example']);
});

test('who asks for the same name in the same way meanwhile gets the same answer, and later a new one', async () => {
  const { asked, answers, find, answer } = openLookup();
  find('a.example', { all: true });
  find('a.example', { all: true });
  find('a.example', { family: 4 });
  await answer('a.example');
  expect(asked).toEqual(['a.example', 'a.example']);
  expect(answers.splice(0)).toHaveLength(2);
  await answer('a.example');
  find('a.example', { all: true });
  await answer('a.example', '192.0.2.2');
  expect(answers).toEqual([
    ['a.example', '192.0.2.1'],
    ['a.example', '192.0.2.2'],
  ]);
});

test('an address waits for no turn', () => {
  const { asked, find } = openLookup();
  for (let n = 1; n < 9; n += 1) find(`192.0.2.${n}`);
  expect(asked).toHaveLength(8);
});

test('a lookup that cannot begin fails, and makes room', async () => {
  const lookup = lookupInTurns(() => {
    throw new TypeError('invalid options');
  });
  const failures: unknown[] = [];
  for (const name of ['x', 'y']) lookup(`${name}.a.example`, {}, (error) => failures.push(error));
  await vi.advanceTimersByTimeAsync(0);
  expect(failures).toEqual([new TypeError('invalid options'), new TypeError('invalid options')]);
});
