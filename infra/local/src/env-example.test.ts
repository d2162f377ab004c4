import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

test('.env.example names every variable that a configuration reads, in one line each', async () => {
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  const named = Array.from(example.matchAll(/^#([A-Z_]+)=.* # \S/gm), ([, name]) => name);
  expect(named).toEqual([...new Set(named)]);
  const read = new Set<string>();
  for await (const file of glob('{apps,infra,packages}/*/src/config.ts', { cwd: root })) {
    const source = await readFile(path.join(root, file), 'utf8');
    for (const [, name = ''] of source.matchAll(/^ +([A-Z][A-Z_]+):/gm)) read.add(name);
  }
  // What only the launcher gives to an agent.
  read.delete('MEDIA_TOKEN');
  expect(read.size).toBeGreaterThan(10);
  expect([...read].filter((name) => !named.includes(name))).toEqual([]);
});

/** What the images set, and what only pods of agents need. */
const NOT_IN_COMPOSE = new Set([
  'AGENT_IMAGES',
  'AGENT_INSTANCE',
  'AGENT_LAUNCHER',
  'AGENT_MEDIA_CREDENTIALS',
  'AGENT_NAMESPACE',
  'AGENT_PROCESS_DIR',
  'KUBECONFIG',
  'RECORDER_SPOOL_DIR',
]);

test.each(['api', 'recorder'])('docker-compose.yml hands on what the %s reads', async (service) => {
  const compose = await readFile(path.join(root, 'docker-compose.yml'), 'utf8');
  const block = new RegExp(String.raw`^ {2}${service}:\n(?: {4}.*\n| *\n)+`, 'm').exec(
    compose,
  )?.[0];
  const settings = block?.matchAll(/^ {6}([A-Z_]+):/gm) ?? [];
  const set = Array.from(settings, ([, name = '']) => name);
  // Compose refuses a file that sets one twice.
  expect(set).toEqual([...new Set(set)]);
  const source = await readFile(path.join(root, `apps/${service}/src/config.ts`), 'utf8');
  const read = Array.from(source.matchAll(/^ +([A-Z][A-Z_]+):/gm), ([, name = '']) => name);
  expect(read.length).toBeGreaterThan(8);
  expect(read.filter((name) => !set.includes(name) && !NOT_IN_COMPOSE.has(name))).toEqual([]);
});
