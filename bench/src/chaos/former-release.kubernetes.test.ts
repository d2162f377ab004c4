import { expect, test } from 'vitest';
import { hasCommit, lastTag } from './further-programs.ts';
import { readOptions } from './options.ts';
import { runChaos } from './run.ts';

/** Where there is no tag: the code before the service could run on several machines, and before its metrics and alerts. */
const COMMITS = ['f13b9232', 'ad82799c'];

const tag = lastTag();

for (const former of tag === undefined ? COMMITS : [tag]) {
  // A clone without history lacks the former release. Other runs use the same folder of a stack, but never at the same time.
  test.skipIf(!hasCommit(former))(
    `recorder and API of ${former} beside the new ones, on the new schema: no request fails, nothing is lost, and agents start at both`,
    // The first run installs the packages of that commit.
    { timeout: 600_000 },
    async () => {
      const lines: string[] = [];
      const { check, answered } = await runChaos(
        {
          // Both recorders record each session.
          ...readOptions([
            ...'--seed 5 --rooms 2 --rate 20 --redundancy 2'.split(' '),
            '--former-recorder',
            former,
            '--former-api',
            former,
          ]),
          durationMs: 15_000,
          // No fault is injected during the test.
          everyMs: 3_600_000,
          folder: 'chaos-former-test',
        },
        (line) => void lines.push(line),
        new AbortController().signal,
      );
      expect(check.faults.length === 0 ? '' : [...check.faults, ...lines].join('\n')).toBe('');
      expect(check.gaps).toBe(0);
      expect(check.received).toBeGreaterThan(0);
      expect(answered).toBeGreaterThan(0);
    },
  );
}
