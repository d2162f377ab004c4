import { readdir, readFile } from 'node:fs/promises';

const UNITS: Readonly<Record<string, number>> = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
/** Of a statm's numbers. Where pages are larger, as on some machines with ARM, too little is counted. */
const PAGE_BYTES = 4096;

/** Gives the bytes of a memory size in Kubernetes' notation, `512Mi`; throws a RangeError for another one. */
export function bytesOf(size: string): number {
  const [, count, unit = ''] = /^(\d+)(Ki|Mi|Gi)?$/.exec(size) ?? [];
  if (count === undefined) throw new RangeError(`${size} is no size of memory`);
  return Number(count) * (UNITS[unit] ?? 1);
}

/** Gives what a process and its descendants hold in memory, in bytes; 0 when it has ended, or this is no Linux. */
export async function residentBytes(pid: number): Promise<number> {
  const [statm, threads] = await Promise.all([
    readFile(`/proc/${pid}/statm`, 'utf8').catch(() => ''),
    readdir(`/proc/${pid}/task`).catch(() => []),
  ]);
  const lists = threads.map((thread) =>
    readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  );
  const children = (await Promise.all(lists)).join(' ').match(/\d+/g) ?? [];
  const sizes = await Promise.all(children.map((child) => residentBytes(Number(child))));
  const own = Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES;
  return sizes.reduce((sum, size) => sum + size, own);
}
