import { expect, test } from 'vitest';
import { writeComposeFile } from '../../testing/images/compose-file.ts';
import { openImageStorage } from '../../testing/images/image-storage.ts';
import { makeRunFolder, runInNamespaces } from '../../testing/images/run-in-namespaces.ts';
import { testImages } from '../../testing/images/test-images.ts';

test('with podman-compose, docker-compose.yml comes up from the images and passes the demo', {
  timeout: 400_000,
}, async () => {
  const { images, storage, podmanCompose } = testImages();
  const folder = await makeRunFolder('compose');
  await writeComposeFile(folder, Object.fromEntries(images.map(({ name, tag }) => [name, tag])));
  const { env } = await openImageStorage(storage);
  const settings = { program: podmanCompose, folder };
  expect(await runInNamespaces('compose-run', settings, env)).toEqual({
    demo: { counts: { said: 3, answered: 3, stored: 6, missing: 0 }, faults: [] },
  });
});
