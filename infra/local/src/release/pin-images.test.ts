import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { pinImages, readImages } from './pin-images.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const overlay = path.join(root, 'infra/kubernetes/overlays/production/kustomization.yaml');
const Workflow = z.looseObject({
  jobs: z.looseObject({
    images: z.looseObject({
      strategy: z.object({ matrix: z.object({ target: z.array(z.string()) }) }),
    }),
  }),
});

/** Returns the images that the release builds, as it reports them. */
async function releasedImages(): Promise<string[]> {
  const text = await readFile(path.join(root, '.github/workflows/release.yml'), 'utf8');
  const { target } = Workflow.parse(parse(text)).jobs.images.strategy.matrix;
  return target.map((name, index) => `ghcr.io/o/r/${name}@sha256:${`${index}`.repeat(64)}`);
}

test('a released overlay names each image by digest, of pods and of agents, and is otherwise as it was', async () => {
  const text = await readFile(overlay, 'utf8');
  const pinned = pinImages(text, readImages(await releasedImages()));
  expect(pinned).not.toContain('registry.example');
  expect(pinned.match(/sha256:/g)).toHaveLength(6);
  const { images: _, configMapGenerator: __, ...before } = Object(parse(text));
  const { images, configMapGenerator, ...after } = Object(parse(pinned));
  expect(after).toEqual(before);
  expect(images).toContainEqual({
    name: 'session-service/api',
    newName: 'ghcr.io/o/r/api',
    digest: `sha256:${'0'.repeat(64)}`,
  });
  expect(configMapGenerator[0].literals).toContainEqual(
    expect.stringMatching(
      /^AGENT_IMAGES=echo-agent=ghcr\.io\/o\/r\/echo-agent@sha256:4+,light-agent=/,
    ),
  );
});

test('the release builds each image that the Dockerfile has', async () => {
  const dockerfile = await readFile(path.join(root, 'infra/docker/Dockerfile'), 'utf8');
  const stages = Array.from(
    dockerfile.matchAll(/^FROM (?:base|api) AS (\S+)$/gm),
    ([, name = '']) => name,
  );
  const targets = [...readImages(await releasedImages()).keys()];
  expect(targets.toSorted()).toEqual(stages.toSorted());
});

test.each(['', 'ghcr.io/o/r/api:0.1.0', 'ghcr.io/o/r/api@sha256:12', 'api@sha256:x\nmore'])(
  'an image without a digest releases nothing: %j',
  (line) => {
    expect(() => readImages([line])).toThrow('no image with a digest');
  },
);

test('an image that was not built releases nothing', async () => {
  const images = readImages(
    (await releasedImages()).filter((name) => !name.includes('/recorder@')),
  );
  const text = await readFile(overlay, 'utf8');
  expect(() => pinImages(text, images)).toThrow('the release has no image recorder');
});
