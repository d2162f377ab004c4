import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { productVersion } from '../../src/kubetest/product-version.ts';
import type { BaseImages } from './base-images.ts';
import type { ImageStorage } from './image-storage.ts';

const dockerfile = path.resolve(import.meta.dirname, '../../../docker/Dockerfile');

export interface BuiltImage {
  readonly name: string;
  readonly tag: string;
  readonly id: string;
}

async function imageNames(): Promise<string[]> {
  const text = await readFile(dockerfile, 'utf8');
  return Array.from(text.matchAll(/^FROM base AS (\S+)$/gm), ([, name = '']) => name);
}

/** Builds all images of the product from the `context` folder, one after the other. */
export async function buildImages(
  { run }: ImageStorage,
  { bases, context }: { readonly bases: BaseImages; readonly context: string },
): Promise<BuiltImage[]> {
  const version = await productVersion();
  const images = [];
  for (const name of await imageNames()) {
    const tag = `session-service/${name}:${version}`;
    const given = Object.entries(bases).map(([key, image]) => `--build-arg=${key}=${image}`);
    const options = ['--isolation=chroot', '--pull=never', '--layers', '--timestamp=0', '--quiet'];
    const target = [`--target=${name}`, `--tag=${tag}`, `--file=${dockerfile}`];
    await run('buildah', 'build', ...options, ...given, ...target, context);
    const id = await run('podman', 'image', 'inspect', '--format', '{{.Id}}', tag);
    images.push({ name, tag, id });
  }
  return images;
}
