import { expect, test } from 'vitest';
import * as z from 'zod';
import { startContainer } from '../../testing/images/container.ts';
import { testImages } from '../../testing/images/test-images.ts';

const MEMORY_BYTES = 256 * 2 ** 20;
const PROBE = `
const { readFileSync, writeFileSync } = require('node:fs');
const status = readFileSync('/proc/self/status', 'utf8');
const field = (name) => new RegExp('^' + name + ':\\\\s*(\\\\w+)', 'm').exec(status)[1];
const write = (folder) => {
  try { writeFileSync(folder + '/probe', 'x'); return 'written'; } catch (error) { return error.code; }
};
const folders = ['/tmp', '/', '/app', '/etc', '/usr/local/bin', '/home/node', process.cwd()];
console.log(JSON.stringify({
  user: [process.getuid(), process.getgid()],
  capabilities: field('CapEff') + field('CapBnd'),
  noNewPrivileges: field('NoNewPrivs'),
  seccomp: field('Seccomp'),
  memory: process.constrainedMemory(),
  zone: new Intl.DateTimeFormat('en', { timeZone: 'Europe/Vienna', hour: 'numeric' }).resolvedOptions().timeZone,
  writes: Object.fromEntries(folders.map((folder) => [folder, write(folder)])),
}));`;
const Report = z.object({ writes: z.record(z.string(), z.string()) }).loose();

test.each(testImages().images.map(({ name }) => name))(
  '%s runs without capabilities, within its memory, and writes to /tmp alone',
  async (name) => {
    const container = await startContainer(name, { args: ['--eval', PROBE], memory: '256m' });
    expect([await container.exit, container.output()]).toEqual([
      0,
      expect.stringMatching(/^\{.*\}\n$/),
    ]);
    const { writes, ...report } = Report.parse(JSON.parse(container.output()));
    expect(report).toEqual({
      user: [1000, 1000],
      capabilities: '0'.repeat(32),
      noNewPrivileges: '1',
      seccomp: '2',
      memory: MEMORY_BYTES,
      zone: 'Europe/Vienna',
    });
    const { '/tmp': temporary, ...others } = writes;
    expect(temporary).toBe('written');
    expect(new Set(Object.values(others))).toEqual(new Set(['EROFS']));
  },
);

test('a program that takes more memory than its container may have is killed by the kernel', async () => {
  const hog = 'const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1));';
  const container = await startContainer('echo-agent', { args: ['--eval', hog], memory: '200m' });
  expect(await container.exit).toBe(137);
});
