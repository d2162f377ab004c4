import { readFileSync } from 'node:fs';
import * as z from 'zod';

const Manifest = z.object({ version: z.string() });

/** Returns the version in the `package.json` of a program. */
export function readVersion(manifest: URL): string {
  return Manifest.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
}
