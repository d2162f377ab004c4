import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { buildImages } from '../../testing/images/build-images.ts';
import { openImageStorage } from '../../testing/images/image-storage.ts';
import { testImages } from '../../testing/images/test-images.ts';

test('a second build, from the fetched packages on, gives the same image ids', async () => {
  const { images, storage, bases, context } = testImages();
  // No image has this file. But the build copies all files: what it makes of them is made again.
  await writeFile(path.join(context, 'second-build'), 'the second build');
  expect(await buildImages(await openImageStorage(storage), { bases, context })).toEqual(images);
});
