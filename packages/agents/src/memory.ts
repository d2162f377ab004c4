import { readdir, readFile } from 'node:fs/promises';

const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
/** The unit of the numbers in `/proc/<pid>/statm`. On ARM machines with larger pages, the result is too small. */
const PAGE_BYTES = 4096;

export function bytesOf(size: string): number {
  const [, count, unit = ''] = /^(\d+)(Ki|Mi|Gi)?$/.exec(size) ?? [];
  if (count === undefined) throw new RangeError(`${size} is not a memory size`);
  return Number(count) * (UNITS[unit] ?? 1);
}

/**
 * Returns the resident memory of a process and its descendants; 0 when the process has ended, and on systems other than
 * Linux.
 */
export async function residentBytes(pid: number): Promise<number> {
  const [statm, threads] = await Promise.all([
    readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''),
    readdir(`/proc/${pid}/task`).catch(() => []),
  ]);
  const childLists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  );
  const children = (await Promise.all(childLists)).join(' ').match(/\d+/g) ?? [];
  const childSizes = await Promise.all(children.map((child) => residentBytes(Number(child))));
  const ownSize = Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES;
  return childSizes.reduce((sum, size) => sum + size, ownSize);
}
