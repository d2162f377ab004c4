import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { API_FLAGS, RECORDER_FLAGS } from './programs.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

test.each([
  ['API', 'api', API_FLAGS],
  ['recorder', 'recorder', RECORDER_FLAGS],
])('the %s has the same bounds of memory wherever it is started', async (_, app, flags) => {
  const dockerfile = await read('infra/docker/Dockerfile');
  const image = new RegExp(String.raw`AS ${app}\n(?:.*\n)*?CMD (?<command>.*)`).exec(dockerfile);
  expect(JSON.parse(image?.groups?.['command'] ?? '[]')).toEqual([...flags, 'dist/main.js']);
  const { scripts } = JSON.parse(await read(`apps/${app}/package.json`));
  expect(scripts.start).toBe(`node ${flags.join(' ')} dist/main.js`);
});

test('the API has bounds of memory that fit into its pod', async () => {
  const pod = await read('infra/kubernetes/base/service/api.yaml');
  expect(pod).toContain('limits: { memory: 1Gi }');
  const [, heapMb] = /max-old-space-size=(\d+)/.exec(API_FLAGS.join()) ?? [];
  expect(Number(heapMb)).toBeLessThan(1024);
});
