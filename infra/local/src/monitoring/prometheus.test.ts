import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { firstFreePort } from '../supervision/ports.ts';
import { Service } from '../supervision/service.ts';
import { isPrometheusInstalled, preparePrometheus } from './prometheus.ts';

const host = '127.0.0.1';
const why = (await isPrometheusInstalled(process.env))
  ? ''
  : ' (skipped: Prometheus is not installed)';

async function startPrometheus(port: number): Promise<Service> {
  const folder = await mkdtemp(path.join(tmpdir(), 'prometheus-'));
  onTestFinished(async () => await rm(folder, { recursive: true }));
  const spec = await preparePrometheus({ folder, host, port, metricsUrls: {}, speed: 1 });
  const { signal } = new AbortController();
  const part = await Service.start(spec, {
    logFolder: folder,
    stop: signal,
    forceStop: signal,
    say: () => {},
    note: async () => {},
  });
  onTestFinished(() => part[Symbol.asyncDispose]());
  return part;
}

describe.skipIf(why !== '')(`a port of Prometheus${why}`, () => {
  test('taken by that of another stack fails the start, so that no stack reads the alerts of another', async () => {
    const port = await firstFreePort([], host);
    await startPrometheus(port);
    await expect(startPrometheus(port)).rejects.toThrow(/did not start: it ended[\s\S]*in use/);
  });
});
