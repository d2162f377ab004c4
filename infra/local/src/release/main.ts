import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runMain, StartError } from '@session/kit';
import { pinImages, readImages } from './pin-images.ts';

const overlay = path.resolve(
  import.meta.dirname,
  '../../../kubernetes/overlays/production/kustomization.yaml',
);

// The script `release:manifests`: each file of the folder names an image of the release, with its digest.
await runMain(async () => {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) {
    throw new StartError('Usage: npm --prefix infra/local run release:manifests -- FOLDER');
  }
  const files = await readdir(folder);
  const texts = await Promise.all(
    files.map(async (file) => await readFile(path.join(folder, file), 'utf8')),
  );
  const images = readImages(texts.map((text) => text.trim()));
  await writeFile(overlay, pinImages(await readFile(overlay, 'utf8'), images));
});
