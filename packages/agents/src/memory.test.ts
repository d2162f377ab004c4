import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { bytesOf, residentBytes } from './memory.ts';

test.each([
  ['512Mi', 536_870_912],
  ['1Gi', 1_073_741_824],
  ['64Ki', 65_536],
  ['1000', 1000],
])('%s is %d bytes', (size, bytes) => {
  expect(bytesOf(size)).toBe(bytes);
});

test.each(['', 'Mi', '0.5Gi', '1M', '-1Mi'])(
  '“%s” is refused, so that a mistake never means no limit',
  (size) => {
    expect(() => bytesOf(size)).toThrow(RangeError);
  },
);

test.skipIf(process.platform !== 'linux')(
  'the memory of child processes counts too, and a process that has ended has none',
  async () => {
    const large =
      'const all = Buffer.alloc(100_000_000, 1); console.log(all.length); setInterval(() => {}, 1000);';
    const script = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(large)}], { stdio: 'inherit' });`;
    const child = spawn(process.execPath, ['-e', script], { detached: true });
    onTestFinished(() => void process.kill(-(child.pid ?? 0), 'SIGKILL'));
    await once(child.stdout, 'data');
    expect(await residentBytes(child.pid ?? 0)).toBeGreaterThan(100_000_000);
    expect(await residentBytes(2 ** 30)).toBe(0);
  },
);
