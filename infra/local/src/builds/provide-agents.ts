import { realpath } from 'node:fs/promises';
import { setPriority } from 'node:os';
import path from 'node:path';
import type { Progress } from '../supervision/progress.ts';
import { run } from '../supervision/tool.ts';
import { BUNDLED_AGENTS, MEDIA_CLIENT } from './bundle-agents.ts';
import { hashOfSources } from './hash-of-sources.ts';
import { linkRelatively } from './link-relatively.ts';
import { LOW_PRIORITY, provideBuild } from './provide-build.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const bundler = path.join(import.meta.dirname, 'bundle-agents.ts');

/** A change in any of these rebuilds the bundles. */
export const AGENT_SOURCES = [
  ...BUNDLED_AGENTS.map((agent) => `apps/${agent}/src`),
  ...['agent-kit', 'contract', 'conversation', 'kit', 'media', 'traces'].map(
    (name) => `packages/${name}/src`,
  ),
  'infra/local/src/builds',
  'pnpm-lock.yaml',
];

export interface AgentBuildOptions {
  readonly stop: AbortSignal;
  readonly progress: Progress;
  readonly cache?: string;
}

/** Returns the folder for `AGENT_PROGRAMS_DIR`; bundles the agents unless the cache has them. Throws when that fails. */
export async function provideAgents({
  stop,
  progress,
  cache = path.join(root, '.cache/agents'),
}: AgentBuildOptions): Promise<string> {
  const name = await hashOfSources(root, AGENT_SOURCES);
  const built = await provideBuild(cache, name, async (folder) => {
    await progress.during('Building the agents', () => bundle(path.join(folder, 'apps'), stop));
    // What a program may read apart from its own folder.
    await linkRelatively(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  });
  return path.join(built, 'apps');
}

async function bundle(apps: string, stop: AbortSignal): Promise<void> {
  await run(process.execPath, ['--conditions=@source', bundler, apps], {
    stop,
    onSpawn: async (pid) => setPriority(pid, LOW_PRIORITY),
  });
  for (const library of [MEDIA_CLIENT, 'livekit-server-sdk']) {
    const installed = await realpath(path.join(root, 'packages/media/node_modules', library));
    for (const agent of BUNDLED_AGENTS) {
      await linkRelatively(installed, path.join(apps, agent, 'node_modules', library));
    }
  }
}
