import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../src/supervision/tool.ts';
import type { ImageStorage } from './image-storage.ts';
import { removeFolder } from './run-folder.ts';

/** What the tests of the images keep for the next run. */
export const IMAGES_CACHE = path.resolve(import.meta.dirname, '../../../../.cache/images');

const script = path.resolve(import.meta.dirname, '../../../docker/make-base.sh');
/** The folder of the Node that runs this, as its package has it. */
const node = path.resolve(realpathSync(process.execPath), '../..');
/** The certificates with which a build behind a proxy trusts the proxy. */
const AUTHORITY = '/etc/ssl/certs/ca-certificates.crt';
const TRUST = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NPM_CONFIG_CAFILE'];

export interface BaseImages {
  readonly BUILD_IMAGE: string;
  readonly RUNTIME_IMAGE: string;
}

/**
 * Makes the root file systems of both bases unless they exist, in a minute or two. Returns their folder, whose name changes with
 * the script and the version of Node.
 */
export async function provideBaseFiles(): Promise<string> {
  const parts = [await readFile(script, 'utf8'), process.version];
  const key = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
  const folder = path.join(IMAGES_CACHE, `base-${key}`);
  if (existsSync(path.join(folder, 'build.tar'))) return folder;
  for (const name of await readdir(IMAGES_CACHE).catch(() => []))
    if (name.startsWith('base-')) await removeFolder(path.join(IMAGES_CACHE, name));
  await run(script, [folder, node]);
  return folder;
}

/**
 * Adds both bases of `folder` to the storage, unless they are in it. Returns their ids rather than names: an image's history notes
 * what it was built from, and the name changes with what makes a base, even where the base is the same.
 */
export async function importBaseImages(
  { run: inStorage }: ImageStorage,
  folder: string,
): Promise<BaseImages> {
  const imageOf = async (kind: string, env: readonly string[]) => {
    const image = `localhost/${kind}:${path.basename(folder)}`;
    const filter = ['--quiet', '--filter', `reference=${image}`];
    const found = await inStorage('podman', 'images', '--no-trunc', ...filter);
    if (found) return found.replace('sha256:', '');
    const container = await inStorage('buildah', 'from', 'scratch');
    await inStorage('buildah', 'add', '--quiet', container, path.join(folder, `${kind}.tar`), '/');
    const variables = ['PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin', ...env];
    for (const variable of variables)
      await inStorage('buildah', 'config', '--env', variable, container);
    // With the real time, an image would have a different id in each storage.
    await inStorage('buildah', 'commit', '--quiet', '--rm', '--timestamp', '0', container, image);
    return await inStorage('podman', 'image', 'inspect', '--format', '{{.Id}}', image);
  };
  const trust = process.env['SSL_CERT_FILE'] ? TRUST.map((name) => `${name}=${AUTHORITY}`) : [];
  return {
    BUILD_IMAGE: await imageOf('build', trust),
    RUNTIME_IMAGE: await imageOf('runtime', []),
  };
}
