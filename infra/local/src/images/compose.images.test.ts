import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeComposeFile } from '../../testing/images/compose-file.ts';
import { openImageStorage } from '../../testing/images/image-storage.ts';
import { makeRunFolder, runInNamespaces } from '../../testing/images/run-in-namespaces.ts';
import { testImages } from '../../testing/images/test-images.ts';

test('with podman-compose, docker-compose.yml comes up from the images and passes the demo', {
  timeout: 900_000,
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

test('parts that cannot start are named, although they cannot be stopped either', async () => {
  const folder = await makeRunFolder('broken-compose');
  const program = path.join(folder, 'compose');
  await writeFile(program, '#!/bin/sh\necho "$1 fails here"\nexit 1\n', { mode: 0o755 });
  await expect(runInNamespaces('compose-run', { program, folder })).rejects.toThrow(
    /up fails here.*down fails here/s,
  );
});
