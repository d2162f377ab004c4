import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { defaultMaxRss, roomLimits } from './limits.ts';

const run = promisify(execFile);

test('a process reads how many files it may have open', async () => {
  const url = new URL('limits.ts', import.meta.url).href;
  const script = `import('${url}').then((it) => console.log(it.readOpenFilesLimit()))`;
  const shell = 'ulimit -n 564; exec "$0" --conditions=@source -e "$1"';
  const { stdout } = await run('sh', ['-c', shell, process.execPath, script]);
  expect(stdout.trim()).toBe('564');
});

const GIGABYTE = 1024 ** 3;

test.each([
  ['few open files', 200, 576, GIGABYTE, 16, 32],
  ['just enough open files', 200, 6464, GIGABYTE, 200, 400],
  ['open files enough', 200, Number.POSITIVE_INFINITY, GIGABYTE, 200, 864],
  ['a small capacity', 10, 576, GIGABYTE, 10, 32],
  ['next to no open files', 200, 50, GIGABYTE, 1, 1],
  ['little memory, which does not lower the capacity', 200, 20_000, GIGABYTE / 4, 200, 200],
  ['much memory', 200, 20_000, 16 * GIGABYTE, 200, 1246],
])(
  '%s: of a wanted capacity of %d, %d files and %d bytes allow %d, and never more than %d',
  (_, wanted, files, bytes, capacity, roomLimit) => {
    expect(roomLimits(wanted, files, bytes)).toEqual({ capacity, roomLimit });
  },
);

test('four fifths of what the container may use, or a gigabyte where there is no limit', () => {
  expect([512 * 1024 * 1024, 0, 2 ** 64].map(defaultMaxRss)).toEqual([
    429_496_729,
    2 ** 30,
    2 ** 30,
  ]);
});
