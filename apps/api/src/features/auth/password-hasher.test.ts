import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { openPasswordHasher } from './password-hasher.ts';

test('twelve rounds of bcrypt, in another thread than the one that answers', async () => {
  await using passwords = openPasswordHasher(1);
  const before = [process.threadCpuUsage(), process.cpuUsage()] as const;
  const hashed = await passwords.hash('correct horse');
  expect(hashed).toMatch(/^\$2[ab]\$12\$/);
  expect(await passwords.matches('correct horse', hashed)).toBe(true);
  expect(await passwords.matches('correct horsf', hashed)).toBe(false);
  const mine = process.threadCpuUsage(before[0]).user;
  expect(mine).toBeLessThan(process.cpuUsage(before[1]).user / 2);
});

test('overloaded when all threads work and as many wait as may, and not for longer', async () => {
  await using passwords = openPasswordHasher(1, 1);
  const three = Array.from({ length: 3 }, () => passwords.hash('correct horse'));
  const outcomes = await Promise.allSettled(three);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'overloaded' } },
  ]);
  expect(await passwords.hash('correct horse')).toMatch(/^\$2/);
});

test.runIf(process.platform === 'linux')('who hashes makes way for all others', async () => {
  await using passwords = openPasswordHasher(1);
  const before = await nicerThreads();
  const hashing = passwords.hash('correct horse');
  await expect.poll(async () => (await nicerThreads()) - before).toBe(1);
  await hashing;
});

/** How many threads of this process have a lower priority than the one that answers. */
async function nicerThreads(): Promise<number> {
  const tasks = await readdir('/proc/self/task');
  const stats = tasks.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => ''));
  const nice = (await Promise.all(stats)).map((stat) => {
    // proc(5): the name, in parentheses, is the second field; the nice value the nineteenth.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16] ?? 0);
  });
  return nice.filter((value) => value > 0).length;
}
