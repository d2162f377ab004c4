import { rm } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'rolldown';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Without `core-agent`: LiveKit's framework looks for its files next to its own code. */
export const BUNDLED_AGENTS = ['echo-agent', 'light-agent'] as const;

/** Stays outside of the bundles, because `sdkInternals` loads some of its files by name. */
export const MEDIA_CLIENT = '@livekit/rtc-node';

/**
 * Returns the sources of the bundles. An agent from its sources takes 36 MB more, most of it for Node's TypeScript
 * compiler.
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
