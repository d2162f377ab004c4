import { readFile } from 'node:fs/promises';
import { testCluster } from '@session/testing';
import { expect, test } from 'vitest';

test('a cluster stands, and says how it is reached', async () => {
  expect(await readFile(testCluster().kubeconfig, 'utf8')).toContain('https://');
});
