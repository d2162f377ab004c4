import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildImages } from '../../testing/images/build-images.ts';
import { openImageStorage } from '../../testing/images/image-storage.ts';
import { testImages } from '../../testing/images/test-images.ts';

test('a second build, from the fetched packages on, gives the same image ids', async () => {
  const { images, storage, bases, context } = testImages();
  // No image has this file, but the build copies all files, so every layer from that copy on is built again.
  const file = path.join(context, 'second-build');
  await writeFile(file, 'the second build');
  onTestFinished(() => rm(file));
  expect(await buildImages(await openImageStorage(storage), { bases, context })).toEqual(images);
});
