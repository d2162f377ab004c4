import path from 'node:path';
import type { LocalImage } from './cluster.ts';
import { productVersion } from './product-version.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Returns what the images of our agents run on a test cluster: their sources in this checkout. */
export async function productImages(): Promise<Record<string, LocalImage>> {
  return {
    [`session-service/echo-agent:${await productVersion()}`]: {
      entrypoint: ['node', '--conditions=@source', 'apps/echo-agent/src/main.ts'],
      workingDir: root,
      user: 1000,
      env: { NODE_COMPILE_CACHE: path.join(root, '.cache/node') },
    },
  };
}
