import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { openImageStorage } from '../../testing/images/image-storage.ts';
import { mountPodImages } from '../../testing/images/pod-images.ts';
import { testImages } from '../../testing/images/test-images.ts';

const program = path.resolve(import.meta.dirname, '../../testing/images/cluster-run.ts');
const Result = z.object({
  demo: z.unknown(),
  talk: z.looseObject({ requests: z.number(), said: z.number() }),
});
const NAMESPACES = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];

test('in a cluster, overlays/local passes the demo with an agent’s pod, and no request and no word is lost when all pods are replaced', {
  timeout: 600_000,
}, async () => {
  const { images, standIns, storage, kubetest } = testImages();
  const folder = path.join('/var/tmp', `session-cluster-${process.pid}`);
  await mkdir(folder);
  onTestFinished(() => rm(folder, { recursive: true }));
  const tags = [...images.map(({ tag }) => tag), ...standIns];
  const pods = await mountPodImages(await openImageStorage(storage), tags);
  await writeFile(path.join(folder, 'images.json'), JSON.stringify(pods));
  const settings = JSON.stringify({ program: kubetest, folder });
  const node = [process.execPath, '--conditions=@source', program, settings];
  const child = spawn('unshare', [...NAMESPACES, ...node], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [[code], output] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  expect([code, code === 0 ? '' : output]).toEqual([0, '']);
  const result = await readFile(path.join(folder, 'result.json'), 'utf8');
  const { demo, talk } = Result.parse(JSON.parse(result));
  expect(demo).toEqual({ counts: { said: 3, answered: 3, stored: 6, missing: 0 }, faults: [] });
  expect(talk).toMatchObject({ isHistoryRight: true, gaps: [], failures: [] });
  expect(talk.requests).toBeGreaterThan(100);
  expect(talk.said).toBeGreaterThan(50);
});
