import type { Spool } from './spool.ts';
import type { ReadableLine, SpoolLine } from './spool-line.ts';

/**
 * Returns up to `count` lines from the head of the spool, ending before the first unreadable one. Passes unreadable lines
 * at the head to `refuseLine`, and removes them. Throws when the spool cannot be read.
 */
export async function readFirst(
  spool: Pick<Spool, 'first' | 'settle'>,
  count: number,
  refuseLine: (text: string) => Promise<void>,
): Promise<ReadableLine[]> {
  for (;;) {
    const lines = await spool.first(count);
    const [first] = lines;
    if (!first || first.queued) return readableOf(lines);
    await refuseLine(first.text);
    await spool.settle([first]);
  }
}

function readableOf(lines: readonly SpoolLine[]): ReadableLine[] {
  const readable: ReadableLine[] = [];
  for (const { queued, ...line } of lines) {
    if (!queued) break;
    readable.push({ ...line, queued });
  }
  return readable;
}
