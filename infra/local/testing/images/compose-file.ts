import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import * as z from 'zod';

const file = path.resolve(import.meta.dirname, '../../../../docker-compose.yml');

const Compose = z.looseObject({
  services: z.record(
    z.string(),
    z.looseObject({ build: z.object({ target: z.string() }).loose().optional() }),
  ),
});

/**
 * Writes the compose file to `folder`, with the image of each part for its build, and an `.env` with the values that it
 * requires. Returns its path. `tags` are the images by their stages.
 */
export async function writeComposeFile(
  folder: string,
  tags: Readonly<Record<string, string>>,
): Promise<string> {
  const { services, ...rest } = Compose.parse(parse(await readFile(file, 'utf8')));
  const own = Object.entries(services).map(([name, { build, ...service }]) => [
    name,
    build ? { ...service, image: tags[build.target] } : service,
  ]);
  const target = path.join(folder, 'docker-compose.yml');
  await writeFile(target, stringify({ ...rest, services: Object.fromEntries(own) }));
  const required = ['POSTGRES_PASSWORD', 'MEDIA_API_SECRET', 'JWT_SECRET'];
  const secrets = required.map((name) => `${name}=${randomBytes(36).toString('base64url')}`);
  await writeFile(path.join(folder, '.env'), ['MEDIA_API_KEY=key', ...secrets, ''].join('\n'));
  return target;
}
