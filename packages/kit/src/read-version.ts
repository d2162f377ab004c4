import { readFileSync } from 'node:fs';
import * as z from 'zod';

const Manifest = z.object({ version: z.string() });

export function readVersion(manifest: URL): string {
  return Manifest.parse(JSON.parse(readFileSync(manifest, 'utf8'))).version;
}
