import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { capacityWithin, defaultMaxRss } from './limits.ts';

const run = promisify(execFile);

test('a process reads how many files it may have open', async () => {
  const url = new URL('limits.ts', import.meta.url).href;
  const script = `import('${url}').then((it) => console.log(it.readOpenFilesLimit()))`;
  const shell = 'ulimit -n 564; exec "$0" --conditions=@source -e "$1"';
  const { stdout } = await run('sh', ['-c', shell, process.execPath, script]);
  expect(stdout.trim()).toBe('564');
});

test.each([
  [200, 576, 16],
  [200, 6464, 200],
  [200, Number.POSITIVE_INFINITY, 200],
  [10, 576, 10],
  [200, 50, 1],
])('of a wanted capacity of %d, %d open files allow %d', (wanted, openFiles, capacity) => {
  expect(capacityWithin(wanted, openFiles)).toBe(capacity);
});

test('four fifths of what the container may use, or a gigabyte where there is no limit', () => {
  expect([512 * 1024 * 1024, 0, 2 ** 64].map(defaultMaxRss)).toEqual([
    429_496_729,
    2 ** 30,
    2 ** 30,
  ]);
});
