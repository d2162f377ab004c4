import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeStackFolder } from '../../testing/stack.ts';
import { loadConfig } from '../config.ts';
import { type StackFile, writeStackFile } from '../stack/stack-file.ts';
import { writeJson } from '../supervision/json-file.ts';
import { ProcessTable } from '../supervision/process-table.ts';
import { plainProgress } from '../supervision/progress.ts';
import { useStack } from './stack.ts';

const file: StackFile = {
  apiUrl: 'http://127.0.0.1:20001',
  metricsUrl: null,
  metricsUrls: {},
  consoleUrl: null,
  demoUrl: null,
  host: '127.0.0.1',
  takenPorts: {},
  mediaUrl: 'ws://127.0.0.1:7880',
  mediaApiKey: 'key',
  mediaApiSecret: 'secret',
  databaseUrl: 'postgres://127.0.0.1:5432/postgres',
  speechUrl: null,
  prometheusUrl: null,
  jwtSecret: 'secret',
  pids: { supervisor: process.pid },
};

test('the demo uses the running stack', async () => {
  const folder = await makeStackFolder('demo-running');
  await writeStackFile(folder, file);
  await using _ = await ProcessTable.claim(path.join(folder, 'processes.json'));
  await using stack = await useStack(loadConfig({ STACK_DIR: folder }, '/'), terminal());
  expect(stack.apiUrl).toBe(file.apiUrl);
});

test('the demo starts a stack of its own after a power cut, although another process has the pid of the old stack', async () => {
  const folder = await makeStackFolder('demo-power-cut');
  await writeStackFile(folder, file);
  const supervisor = { pid: process.pid, started: 'before the power cut' };
  const stop = { signal: 'SIGTERM', patienceMs: 0 };
  await writeJson(path.join(folder, 'processes.json'), { supervisor: { ...supervisor, stop } });
  // Another demo has the folder, so that this one starts no stack.
  await mkdir(path.join(folder, 'demo'));
  await using _ = await ProcessTable.claim(path.join(folder, 'demo/processes.json'));
  const started = useStack(loadConfig({ STACK_DIR: folder }, '/'), terminal());
  await expect(started).rejects.toThrow('Another demo is running');
});

function terminal() {
  const { signal } = new AbortController();
  return { stop: signal, forceStop: signal, progress: plainProgress(() => {}) };
}
