import { rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '../../../..');

/** `core-agent` is not among them: LiveKit's framework looks for its files beside its own code. */
export const BUNDLED_AGENTS = ['echo-agent', 'light-agent'] as const;

/** It is no part of a bundle: `sdkInternals` loads some of its files by name. */
export const MEDIA_CLIENT = '@livekit/rtc-node';

/**
 * Bundles each of our agents to `<agent>/dist` below `folder`, and returns the files of which the bundles consist. From its sources an agent
 * takes 28 MB more, most of it for Node's own compiler of TypeScript.
 */
export async function bundleAgents(folder: string): Promise<string[]> {
  const files = new Set<string>();
  for (const agent of BUNDLED_AGENTS) {
    const dir = path.join(folder, agent, 'dist');
    await rm(dir, { recursive: true, force: true });
    const { output } = await build({
      input: { main: path.join(root, 'apps', agent, 'src/main.ts') },
      platform: 'node',
      external: [MEDIA_CLIENT],
      resolve: { conditionNames: ['@source', 'node', 'import', 'module', 'default'] },
      output: { dir, format: 'esm' },
    });
    for (const chunk of output) {
      if (chunk.type === 'chunk') for (const file of chunk.moduleIds) files.add(file);
    }
  }
  return [...files];
}

const [, , folder] = process.argv;
if (import.meta.main && folder !== undefined) await bundleAgents(path.resolve(folder));
