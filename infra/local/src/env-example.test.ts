import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

test('.env.example names every variable that a configuration reads, in one line each', async () => {
  const example = await readFile(path.join(root, '.env.example'), 'utf8');
  const named = Array.from(example.matchAll(/^#([A-Z_]+)=.* # \S/gm), ([, name]) => name);
  expect(named).toEqual([...new Set(named)]);
  const read = new Set<string>();
  for await (const file of glob('{apps,infra}/*/src/config.ts', { cwd: root })) {
    const source = await readFile(path.join(root, file), 'utf8');
    for (const [, name = ''] of source.matchAll(/^ +([A-Z][A-Z_]+):/gm)) read.add(name);
  }
  // What only the launcher gives to an agent.
  read.delete('MEDIA_TOKEN');
  expect(read.size).toBeGreaterThan(10);
  expect([...read].filter((name) => !named.includes(name))).toEqual([]);
});
