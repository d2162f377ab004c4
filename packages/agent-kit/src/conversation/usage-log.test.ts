import { expect, test } from 'vitest';
import { UsageLog } from './usage-log.ts';

test('usage is logged again when it changed, and at the end', async () => {
  let modelCalls = 0;
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const usage = new UsageLog(() => ({ modelCalls }), log, 1);
  modelCalls = 3;
  await expect.poll(() => lines).toEqual(['{"usage":{"modelCalls":3}}']);
  await usage[Symbol.asyncDispose]();
  expect(lines).toHaveLength(1);
  const last = new UsageLog(() => ({ modelCalls }), log);
  modelCalls = 4;
  await last[Symbol.asyncDispose]();
  expect(lines.slice(1)).toEqual(['{"usage":{"modelCalls":4}}']);
});
