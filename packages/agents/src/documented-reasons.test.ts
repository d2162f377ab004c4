import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { RESTARTABLE_REASONS } from './restart-policy.ts';
import { STOP_REASONS } from './stop-reason.ts';

const ROW = /^\| `([a-z_]+)` \| .+ \| (yes|no) \|$/;

test('docs/agents.md names every reason for which an agent stops, and those after which it comes back', async () => {
  const page = await readFile(new URL('../../../docs/agents.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('\n| reason | what happened | comes back |\n|---|---|---|\n');
  const [rows = ''] = table.split('\n\n');
  const reasons = rows.split('\n').map((row) => ROW.exec(row)?.slice(1) ?? row);
  const restartable: ReadonlySet<string> = new Set(RESTARTABLE_REASONS);
  expect(reasons).toEqual(
    STOP_REASONS.map((reason) => [reason, restartable.has(reason) ? 'yes' : 'no']),
  );
});
