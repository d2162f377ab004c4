import { expect, onTestFinished, test } from 'vitest';
import { importBaseImages } from '../../testing/images/base-images.ts';
import { buildImages } from '../../testing/images/build-images.ts';
import { closeImageStorage, openImageStorage } from '../../testing/images/image-storage.ts';
import { makeRunFolder } from '../../testing/images/run-in-namespaces.ts';
import { testImages } from '../../testing/images/test-images.ts';

test('a second build, in another storage, gives the same image ids', {
  timeout: 1_800_000,
}, async () => {
  const { images, bases, context } = testImages();
  const second = await openImageStorage(await makeRunFolder('second-storage'));
  onTestFinished(() => closeImageStorage(second));
  const options = { bases: await importBaseImages(second, bases), context };
  expect(await buildImages(second, options)).toEqual(images);
});
