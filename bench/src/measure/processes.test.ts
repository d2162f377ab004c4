import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { ProcessMeter } from './processes.ts';

const COUNT = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';
/** Counts, starts a shell that counts and ends, and then one that only waits. */
const PROGRAM = `read go; ${COUNT}; sh -c '${COUNT}'; sh -c 'echo counted; read end'; true`;

test.skipIf(process.platform !== 'linux')(
  'what a process started counts, also when it has ended, and others do not',
  async () => {
    const child = spawn('sh', ['-c', PROGRAM], { stdio: ['pipe', 'pipe', 'ignore'] });
    const { pid = 0 } = child;
    onTestFinished(async () => {
      const exit = once(child, 'exit');
      child.kill();
      await exit;
    });
    const group = (name: string, part: 'all' | 'first' | 'started', others: number[] = []) => ({
      name,
      pid,
      part,
      others,
    });
    const meter = new ProcessMeter(async () => [
      group('all', 'all'),
      group('first', 'first'),
      group('started', 'started'),
      group('none', 'all', [pid]),
    ]);
    await meter.sample();
    child.stdin.write('go\n');
    await once(child.stdout, 'data');
    await meter.sample();
    const usages = meter.usages();
    const [all, first, started, none] = usages.map(({ share }) => share * meter.elapsedMs);
    expect(usages.map(({ processes }) => processes)).toEqual([2, 1, 1, 0]);
    expect(usages.map(({ mostMb }) => mostMb > 0)).toEqual([true, true, true, false]);
    expect(all).toBeCloseTo((first ?? 0) + (started ?? 0));
    expect(none).toBe(0);
    expect([first, started].map((ms = 0) => ms > 0)).toEqual([true, true]);
  },
);
