import path from 'node:path';
import { findDistribution } from '../../src/postgres/home.ts';
import type { BaseImages } from './base-images.ts';
import type { ImageStorage } from './image-storage.ts';

/** The images of other projects that manifests and compose file name. Tests cannot get them from a registry. */
const POSTGRES_IMAGE = 'docker.io/library/postgres:18.4';
const LIVEKIT_IMAGE = 'docker.io/livekit/livekit-server:v1.13.5';

const postgres = path.join(import.meta.dirname, 'postgres');

/**
 * Makes the images of PostgreSQL and LiveKit from the packaged server and from the program at `livekit`, under the names of
 * the public ones. Returns their tags.
 */
export async function makeStandIns(
  storage: ImageStorage,
  { bases, livekit }: { readonly bases: BaseImages; readonly livekit: string },
): Promise<readonly string[]> {
  const { run } = storage;
  const database = await run('buildah', 'from', '--pull=never', bases.BUILD_IMAGE);
  await run('buildah', 'add', '--quiet', database, findDistribution(), '/opt/postgres');
  await run(
    'buildah',
    'add',
    '--quiet',
    database,
    path.join(postgres, 'entry.mjs'),
    '/opt/entry.mjs',
  );
  const probe = ['--chmod=755', database, path.join(postgres, 'pg_isready'), '/usr/local/bin/'];
  await run('buildah', 'add', '--quiet', ...probe);
  await run('buildah', 'config', '--workingdir=/var/lib/postgresql', '--user=999:999', database);
  // PostgreSQL needs a name for its user.
  const user = 'echo postgres:x:999:999::/var/lib/postgresql: >>/etc/passwd';
  const setUp = `${user} && chown 999:999 /var/lib/postgresql`;
  const asRoot = ['--isolation=chroot', '--user=0'];
  await run('buildah', 'run', ...asRoot, database, '--', 'sh', '-c', setUp);
  const entry = '["node","/opt/entry.mjs"]';
  await run(
    'buildah',
    'config',
    `--entrypoint=${entry}`,
    '--cmd=',
    '--volume=/var/lib/postgresql',
    database,
  );
  await run('buildah', 'commit', '--quiet', '--rm', database, POSTGRES_IMAGE);
  const media = await run('buildah', 'from', '--pull=never', bases.RUNTIME_IMAGE);
  await run('buildah', 'add', '--quiet', '--chmod=755', media, livekit, '/livekit-server');
  await run('buildah', 'config', '--entrypoint=["/livekit-server"]', '--cmd=', media);
  await run('buildah', 'commit', '--quiet', '--rm', media, LIVEKIT_IMAGE);
  return [POSTGRES_IMAGE, LIVEKIT_IMAGE];
}
