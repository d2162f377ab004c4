import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { openImageStorage } from '../../testing/images/image-storage.ts';
import { mountPodImages } from '../../testing/images/pod-images.ts';
import { confined, ProbeReport } from '../../testing/images/probe.ts';
import { makeRunFolder, runInNamespaces } from '../../testing/images/run-in-namespaces.ts';
import { testImages } from '../../testing/images/test-images.ts';

const Result = z.object({
  demo: z.unknown(),
  pods: z.object({ report: ProbeReport, endOfHog: z.string() }),
  talk: z.looseObject({ requests: z.number(), said: z.number() }),
});

test('in a cluster, overlays/local passes the demo with an agent’s pod, and no request and no word is lost when all pods are replaced', {
  timeout: 1_500_000,
}, async () => {
  const { images, standIns, storage, kubetest } = testImages();
  const folder = await makeRunFolder('cluster');
  const tags = [...images.map(({ tag }) => tag), ...standIns];
  const pods = await mountPodImages(await openImageStorage(storage), tags);
  await writeFile(path.join(folder, 'images.json'), JSON.stringify(pods));
  const result = await runInNamespaces('cluster-run', { program: kubetest, folder });
  const { demo, talk, pods: probes } = Result.parse(result);
  expect(demo).toEqual({ counts: { said: 3, answered: 3, stored: 6, missing: 0 }, faults: [] });
  expect(talk).toMatchObject({ isHistoryRight: true, gaps: [], failures: [] });
  expect(talk.requests).toBeGreaterThan(100);
  expect(talk.said).toBeGreaterThan(50);
  // The node enforces the limits that the manifests name.
  expect(probes.report).toMatchObject(confined(256 * 2 ** 20));
  expect(probes.endOfHog).toBe('OOMKilled');
});
