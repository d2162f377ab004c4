import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { MEDIA_CLIENT } from '../src/builds/bundle-agents.ts';
import { bundleApp } from '../src/builds/bundle-app.ts';
import { hashOfSources } from '../src/builds/hash-of-sources.ts';
import { linkRelatively } from '../src/builds/link-relatively.ts';
import { provideBuild } from '../src/builds/provide-build.ts';
import type { Progress } from '../src/supervision/progress.ts';

const root = path.resolve(import.meta.dirname, '../../..');

const PROGRAMS = {
  api: ['main', 'reset-password', 'erase-again', 'features/auth/bcrypt-worker'],
  recorder: ['main', 'after-restore', 'replay-rejected'],
} as const;

/** What the programs load by name, with the workspace that has it installed. */
const EXTERNAL = {
  [MEDIA_CLIENT]: 'packages/media',
  'livekit-server-sdk': 'packages/media',
  'drizzle-orm': 'packages/db',
  piscina: 'apps/api',
  'fs-native-extensions': 'apps/recorder',
} as const;

const PACKAGES = ['agents', 'contract', 'conversation', 'db', 'k8s', 'kit', 'media', 'traces'];

/** A change in any of these rebuilds the bundles. */
const SOURCES = [
  ...Object.keys(PROGRAMS).flatMap((app) => [`apps/${app}/src`, `apps/${app}/package.json`]),
  ...PACKAGES.flatMap((name) => [`packages/${name}/src`, `packages/${name}/package.json`]),
  'infra/local/src/builds',
  'infra/local/testing/provide-services.ts',
  'pnpm-lock.yaml',
];

/** Returns the folder of the bundles `api` and `recorder`, built unless cached. */
export async function provideServices(progress: Progress): Promise<string> {
  const name = await hashOfSources(root, SOURCES);
  const built = await provideBuild(path.join(root, '.cache/services'), name, async (folder) => {
    const apps = path.join(folder, 'apps');
    await progress.during('Building API and recorder', () => bundleServices(apps));
  });
  return path.join(built, 'apps');
}

async function bundleServices(folder: string): Promise<void> {
  const external = Object.keys(EXTERNAL);
  for (const [app, programs] of Object.entries(PROGRAMS)) {
    expectAmongSources(await bundleApp({ folder, app, programs, external }));
    const manifest = path.join(root, 'apps', app, 'package.json');
    await linkRelatively(manifest, path.join(folder, app, 'package.json'));
  }
  await linkRelatively(path.join(root, 'packages/db/migrations'), path.join(folder, 'migrations'));
  for (const [library, workspace] of Object.entries(EXTERNAL)) {
    const installed = await realpath(path.join(root, workspace, 'node_modules', library));
    await linkRelatively(installed, path.join(folder, 'node_modules', library));
  }
}

function expectAmongSources(files: readonly string[]): void {
  const unknown = files.find((file) => {
    const own = path.relative(root, file);
    const isOwn = path.isAbsolute(file) && !file.includes('node_modules');
    return isOwn && !SOURCES.some((source) => own.startsWith(`${source}/`));
  });
  if (unknown !== undefined) throw new Error(`${unknown} is bundled, and not among the sources`);
}
