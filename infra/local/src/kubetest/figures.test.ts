import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../../..');

test('alerts and the autoscaler ask for figures and labels that API and recorder report', async () => {
  const sources = await textOf('apps/{api,recorder}/src/**/*.ts');
  const manifests = await textOf('infra/kubernetes/components/{autoscaling,monitoring}/*.yaml');
  const figures = new Set(manifests.match(/\bsession_[a-z_]+(?=\{)/g));
  expect(figures.size).toBeGreaterThan(5);
  const unknown = [...figures].filter(
    (figure) => !new RegExp(`\\b${figure.replace(/_count$/, '')}\\b`).test(sources),
  );
  expect(unknown).toEqual([]);
  const labels = new Set(Array.from(manifests.matchAll(/[{,](\w+)=/g), ([, label = '']) => label));
  // Prometheus itself has the first one, and the monitor of the pods adds the others.
  for (const label of ['__name__', 'container', 'namespace']) labels.delete(label);
  expect([...labels].filter((label) => !sources.includes(`'${label}'`))).toEqual([]);
});

async function textOf(pattern: string): Promise<string> {
  const texts: string[] = [];
  for await (const file of glob(pattern, { cwd: root })) {
    if (!file.endsWith('.test.ts')) texts.push(await readFile(path.join(root, file), 'utf8'));
  }
  return texts.join('\n');
}
