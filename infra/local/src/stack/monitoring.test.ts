import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { plainProgress } from '../supervision/progress.ts';
import { type MonitoringContext, startMonitoring } from './monitoring.ts';

test('without Prometheus the stack goes on, and one sentence says how to install it', async () => {
  const { context, said, folder } = await makeContext({ speed: 1 });
  expect(await startMonitoring(context, {}, { PATH: folder })).toEqual({ address: undefined });
  expect(said.join('')).toMatch(
    /^MONITORING=1 has no effect: there is no program prometheus\. .*apt-get install prometheus.*\n$/,
  );
});

test('where nobody asks for monitoring, nothing is looked for, and nothing is said', async () => {
  const { context, said, folder } = await makeContext(undefined);
  expect(await startMonitoring(context, {}, { PATH: folder })).toEqual({ address: undefined });
  expect(said).toEqual([]);
});

async function makeContext(monitoring: MonitoringContext['config']['monitoring']) {
  const folder = await mkdtemp(path.join(tmpdir(), 'monitoring-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const said: string[] = [];
  const context: MonitoringContext = {
    config: { folder, monitoring },
    progress: plainProgress((text) => said.push(text)),
    stop: new AbortController().signal,
    portOf: async () => 0,
    start: async () => await Promise.reject(new Error('nothing is started')),
  };
  return { context, said, folder };
}
