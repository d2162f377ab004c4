import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';

const manifest = path.resolve(import.meta.dirname, '../../../../apps/api/package.json');
const Manifest = z.object({ version: z.string() });

export async function productVersion(): Promise<string> {
  return Manifest.parse(JSON.parse(await readFile(manifest, 'utf8'))).version;
}
