import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { textMessage } from '../../testing/history-writer.ts';
import { logTo } from '../../testing/log-to.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { LossReport } from './loss-report.ts';
import { RejectedFile } from './rejected/rejected-file.ts';

/** Returns a report, and its log lines for a test to read. */
function openReport(rejectedFile: Pick<RejectedFile, 'append'>) {
  const logged: unknown[][] = [];
  const log = logTo((...line) => void logged.push(line));
  return { report: new LossReport(log, rejectedFile), logged };
}

test('each kind of loss is counted by itself', async () => {
  const { report } = openReport({ append: async () => {} });
  expect(report.counts).toEqual({ refused: 0, shed: 0, unsaved: 0 });
  report.shed('s', 3);
  report.unsaved(4);
  await report.refuse(textMessage('s', 'x'), new Error('no'));
  await report.refuseLine('{');
  expect(report.counts).toEqual({ refused: 2, shed: 3, unsaved: 4 });
});

test('no word of a refused message is in the log, and all of it is in the file', async () => {
  await using temp = await tempFolder();
  const { report, logged } = openReport(new RejectedFile(temp.folder));
  const message = textMessage(uuidv7(), 'a secret');
  const error = Object.assign(new Error('not a secret'), { code: '22P05' });
  await report.refuse(message, error);
  await report.refuseLine('{"content":"a secret');
  expect(JSON.stringify(logged)).not.toContain('secret');
  expect(logged).toMatchObject([[{ id: message.id, kind: 'text', code: '22P05' }, {}], [{}]]);
  const lines = (await readFile(path.join(temp.folder, 'rejected.jsonl'), 'utf8'))
    .trim()
    .split('\n');
  expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
    { at: expect.any(String), code: '22P05', message: 'Error: not a secret', rejected: message },
    { at: expect.any(String), message: 'not a message', rejected: '{"content":"a secret' },
  ]);
});

test('a refused message that cannot be written down is counted and logged, and nothing throws', async () => {
  const fault = new Error('ENOSPC');
  const { report, logged } = openReport({ append: () => Promise.reject(fault) });
  await expect(report.refuse(textMessage('s', 'x'), new Error('no'))).resolves.toBeUndefined();
  expect(report.counts.refused).toBe(1);
  expect(logged.at(-1)).toEqual([{ err: fault }, expect.any(String)]);
});

test('the file of rejected messages stops growing at 16 MiB, and is not replaced', async () => {
  await using temp = await tempFolder();
  const file = path.join(temp.folder, 'rejected.jsonl');
  await writeFile(file, '');
  await truncate(file, 16 * 1024 * 1024 + 1);
  const rejectedFile = new RejectedFile(temp.folder);
  await expect(rejectedFile.append('x', { code: undefined, message: 'no' })).rejects.toThrow(file);
  expect((await stat(file)).size).toBe(16 * 1024 * 1024 + 1);
});
