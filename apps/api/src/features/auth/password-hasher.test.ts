import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { hashingThreads, openPasswordHasher } from './password-hasher.ts';

/** For tests in which the time of a hash does not matter. */
const QUICK_ROUNDS = 4;
const QUICK_HASH = '$2b$04$vL11zYfgOieqykbKQNEUKuiuDiFBdq6S1JYnU.q3M3pEXfOAGePEO';

test('twelve rounds of bcrypt, in a thread other than the one that answers requests', async () => {
  await using passwords = openPasswordHasher(1);
  using turn = passwords.takeTurn('logIn', 'home');
  const before = [process.threadCpuUsage(), process.cpuUsage()] as const;
  const hashed = await turn.hash('correct horse');
  expect(hashed).toMatch(/^\$2[ab]\$12\$/);
  const mine = process.threadCpuUsage(before[0]).user;
  expect(mine).toBeLessThan(process.cpuUsage(before[1]).user / 2);
});

test('a hash matches its password alone', async () => {
  await using passwords = openPasswordHasher(1, 1, QUICK_ROUNDS);
  using turn = passwords.takeTurn('logIn', 'home');
  const hashed = await turn.hash('correct horse');
  expect(await turn.matches('correct horse', hashed)).toBe(true);
  expect(await turn.matches('correct horsf', hashed)).toBe(false);
});

test('overloaded while all turns are in use, and not longer', async () => {
  await using passwords = openPasswordHasher(1, 1, QUICK_ROUNDS);
  using working = passwords.takeTurn('logIn', 'A');
  const waiting = passwords.takeTurn('logIn', 'B');
  expect(() => passwords.takeTurn('logIn', 'C')).toThrow(
    expect.objectContaining({ code: 'overloaded' }),
  );
  expect(passwords.length).toBe(2);
  waiting[Symbol.dispose]();
  using next = passwords.takeTurn('logIn', 'C');
  const both = Promise.all([working.hash('correct horse'), next.hash('correct horse')]);
  expect(await both).toHaveLength(2);
});

test('of one network two turns wait, however many are free; another network is served after one of them', async () => {
  await using passwords = openPasswordHasher(1);
  const done: string[] = [];
  const hash = async (network: string) => {
    using turn = passwords.takeTurn('logIn', network);
    await turn.matches('correct horse', QUICK_HASH);
    done.push(network);
  };
  const hashing = [hash('A'), hash('A'), hash('A')];
  const refused = expect.objectContaining({ code: 'too_many_requests' });
  expect(() => passwords.takeTurn('logIn', 'A')).toThrow(refused);
  await Promise.all([...hashing, hash('B')]);
  expect(done).toEqual(['A', 'A', 'B', 'A']);
  using next = passwords.takeTurn('logIn', 'A');
  expect([passwords.length, await next.matches('correct horse', 'none')]).toEqual([1, false]);
});

test.for(['logIn', 'knownLogIn', 'signUp'] as const)(
  'of 256 networks of one IPv6 site that come at once four turns wait, and turns stay free for others: %s',
  async (queue) => {
    await using passwords = openPasswordHasher(1);
    const outcomes = Array.from({ length: 256 }, (_, network) => {
      try {
        return passwords.takeTurn(queue, `2001:db8:66:${network}::1`) && 'taken';
      } catch (error) {
        return error;
      }
    });
    const refused = expect.objectContaining({ code: 'too_many_requests' });
    expect(outcomes).toEqual([...Array(4).fill('taken'), ...Array(252).fill(refused)]);
    using other = passwords.takeTurn(queue, '2001:db8:67::1');
    expect(await other.matches('correct horse', QUICK_HASH)).toBe(true);
  },
);

test('a full queue of sign-ups keeps no login waiting: one sign-up is hashed at a time, and logins have turns of their own', async () => {
  await using passwords = openPasswordHasher(1, 3, QUICK_ROUNDS);
  const signUps = Array.from({ length: 4 }, (_, network) =>
    passwords.takeTurn('signUp', String(network)),
  );
  expect(() => passwords.takeTurn('signUp', 'another')).toThrow(
    expect.objectContaining({ code: 'overloaded' }),
  );
  using login = passwords.takeTurn('logIn', 'home');
  const done: string[] = [];
  const hashing = signUps.map(async (turn) => {
    await turn.hash('correct horse');
    done.push('sign-up');
  });
  await login.hash('correct horse');
  done.push('login');
  await Promise.all(hashing);
  expect(done).toEqual(['sign-up', 'login', 'sign-up', 'sign-up', 'sign-up']);
});

test('one core stays free for other requests, where there is more than one', () => {
  expect([1, 2, 8].map(hashingThreads)).toEqual([1, 1, 7]);
});

test.runIf(process.platform === 'linux')(
  'a hashing thread has a lower priority than all others',
  async () => {
    await using passwords = openPasswordHasher(1, 1, QUICK_ROUNDS);
    const before = await nicerThreads();
    using turn = passwords.takeTurn('logIn', 'home');
    const hashing = turn.hash('correct horse');
    await expect.poll(async () => (await nicerThreads()) - before).toBe(1);
    await hashing;
  },
);

/** Returns how many threads of this process have a lower priority than the main thread. */
async function nicerThreads(): Promise<number> {
  const tasks = await readdir('/proc/self/task');
  const stats = tasks.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => ''));
  const nice = (await Promise.all(stats)).map((stat) => {
    // proc(5): the name, in parentheses, is the second field; the nice value the nineteenth.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16] ?? 0);
  });
  return nice.filter((value) => value > getPriority()).length;
}
