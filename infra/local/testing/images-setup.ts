import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { provideKubetest } from '../src/kubetest/program.ts';
import { provideLivekit } from '../src/livekit/program.ts';
import { IMAGES_CACHE, importBaseImages, provideBaseFiles } from './images/base-images.ts';
import { makeBuildContext } from './images/build-context.ts';
import { buildImages } from './images/build-images.ts';
import {
  closeImageStorage,
  type ImageStorage,
  openImageStorage,
  removeImageStorage,
} from './images/image-storage.ts';
import { providePodmanCompose } from './images/podman-compose.ts';
import { openRunFolder, RUN_FOLDER, removeFolder } from './images/run-folder.ts';
import { makeStandIns } from './images/stand-ins.ts';
import type { ImagesContext } from './images/test-images.ts';
import { startTestRun, type TestRun } from './test-run.ts';

/** Layers are kept for the next run, and all are removed above this number. One source, built twice, has some sixty, with 4 GB. */
const MAX_LAYERS = 100;

/**
 * The global setup of the tier `images`: that of `npm test`, and all images. Processes of other runs are not seen here
 * (`run-alone.ts`), so this run keeps away from their folders.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  if (process.env['IMAGES_ALONE'] !== '1')
    throw new Error('The tests of the images need namespaces: run `npm test -- --project images`.');
  const start = async (run: TestRun) => project.provide('images', await provideImages(run));
  return await startTestRun(project, start, path.join(IMAGES_CACHE, 'runs'));
}

async function provideImages({ stack, progress, serviceHost }: TestRun): Promise<ImagesContext> {
  await openRunFolder();
  stack.defer(() => removeFolder(RUN_FOLDER));
  const { during } = progress;
  const files = await during('Making the base images', () => provideBaseFiles());
  const storage = await openStorage(path.join(IMAGES_CACHE, 'storage'));
  stack.defer(() => closeImageStorage(storage));
  const context = path.join(IMAGES_CACHE, 'context');
  const livekit = await provideLivekit({ env: process.env, stop: serviceHost.stop, progress });
  const kubetest = await provideKubetest(process.env, progress);
  const podmanCompose = await providePodmanCompose(IMAGES_CACHE);
  const { bases, images, standIns } = await during('Building the images', async () => {
    await makeBuildContext(context);
    const imported = await importBaseImages(storage, files);
    return {
      bases: imported,
      images: await buildImages(storage, { bases: imported, context }),
      standIns: await makeStandIns(storage, { bases: imported, livekit }),
    };
  });
  return { images, standIns, storage: storage.folder, bases, context, kubetest, podmanCompose };
}

async function openStorage(folder: string): Promise<ImageStorage> {
  const storage = await openImageStorage(folder);
  await closeImageStorage(storage);
  const layers = await storage.run('podman', 'images', '--all', '--quiet');
  if (layers.split('\n').length <= MAX_LAYERS) return storage;
  await removeImageStorage(storage);
  return await openImageStorage(folder);
}
