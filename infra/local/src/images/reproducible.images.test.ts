import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { importBaseImages } from '../../testing/images/base-images.ts';
import { buildImages } from '../../testing/images/build-images.ts';
import { openImageStorage, removeImageStorage } from '../../testing/images/image-storage.ts';
import { testImages } from '../../testing/images/test-images.ts';

test('a second build, in another storage, gives the same image ids', {
  timeout: 1_200_000,
}, async () => {
  const { images, storage, bases, context } = testImages();
  const folder = path.join(path.dirname(storage), 'second-storage');
  await removeImageStorage(await openImageStorage(folder));
  const second = await openImageStorage(folder);
  onTestFinished(() => removeImageStorage(second));
  const options = { bases: await importBaseImages(second, bases), context };
  expect(await buildImages(second, options)).toEqual(images);
});
