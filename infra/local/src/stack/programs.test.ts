import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { API_FLAGS } from './programs.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const read = (file: string) => readFile(path.join(root, file), 'utf8');

test('the API has the same bounds of memory wherever it is started, and they fit into its pod', async () => {
  const image = /AS api\n(?:.*\n)*?CMD (?<command>.*)/.exec(await read('infra/docker/Dockerfile'));
  expect(JSON.parse(image?.groups?.['command'] ?? '[]')).toEqual([...API_FLAGS, 'dist/main.js']);
  const { scripts } = JSON.parse(await read('apps/api/package.json'));
  expect(scripts.start).toBe(`node ${API_FLAGS.join(' ')} dist/main.js`);
  const pod = await read('infra/kubernetes/base/service/api.yaml');
  expect(pod).toContain('limits: { memory: 1Gi }');
  const [, heapMb] = /max-old-space-size=(\d+)/.exec(API_FLAGS.join()) ?? [];
  expect(Number(heapMb)).toBeLessThan(1024);
});
