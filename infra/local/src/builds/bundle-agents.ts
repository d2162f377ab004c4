import path from 'node:path';
import { bundleApp } from './bundle-app.ts';

/** `core-agent` is left out: LiveKit's framework looks for its files next to its own code. */
export const BUNDLED_AGENTS = ['echo-agent', 'light-agent'] as const;

/** Left out of the bundles, because `sdkInternals` loads some of its files by name. */
export const MEDIA_CLIENT = '@livekit/rtc-node';

/**
 * Bundles the agents into `folder`, and returns the sources of the bundles. An agent that runs from its sources takes 36 MB
 * more, mostly for Node's TypeScript compiler.
 */
export async function bundleAgents(folder: string): Promise<string[]> {
  const files = new Set<string>();
  for (const agent of BUNDLED_AGENTS) {
    const app = { folder, app: agent, programs: ['main'], external: [MEDIA_CLIENT] };
    for (const file of await bundleApp(app)) files.add(file);
  }
  return [...files];
}

const [, , folder] = process.argv;
if (import.meta.main && folder !== undefined) await bundleAgents(path.resolve(folder));
