import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';

export const Total = z.strictObject({
  passed: z.number(),
  skipped: z.number(),
  /** What failed, each with its error. */
  failures: z.array(z.string()),
  /** The tests that took longer than a second. */
  slow: z.array(z.strictObject({ name: z.string(), ms: z.number() })),
});

export type Total = Readonly<z.infer<typeof Total>>;

/**
 * Writes the total to a new file of the folder TEST_TOTALS, if that is set: several runs end with one total (`print-total.ts`).
 */
export function keep(total: Total): void {
  const folder = process.env['TEST_TOTALS'];
  if (folder) writeFileSync(path.join(folder, `${randomUUID()}.json`), JSON.stringify(total));
}

export function sum(totals: readonly Total[]): Total {
  return {
    passed: totals.reduce((passed, total) => passed + total.passed, 0),
    skipped: totals.reduce((skipped, total) => skipped + total.skipped, 0),
    failures: totals.flatMap(({ failures }) => failures),
    slow: totals.flatMap(({ slow }) => slow),
  };
}

/** Returns the lines of these tests, the slowest first. */
export function slowest(slow: Total['slow']): string {
  const order = slow.toSorted((a, b) => b.ms - a.ms);
  return order.map(({ name, ms }) => `${(ms / 1000).toFixed(1)} s: ${name}\n`).join('');
}

/** Returns the end of a run's output. What failed is named again, because the output is long. The total is the last line. */
export function summary({ passed, skipped, failures }: Total): string {
  const lines = failures.map((failure) => `\nfailed: ${failure}\n`);
  if (skipped > 0) lines.unshift(`\n${skipped} skipped\n`);
  return `${lines.join('')}\n${passed} passed, ${failures.length} failed\n`;
}
