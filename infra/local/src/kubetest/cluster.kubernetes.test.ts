import { readFile } from 'node:fs/promises';
import { testCluster } from '@session/testing';
import { expect, test } from 'vitest';

test('a cluster is up, and its kubeconfig has an address', async () => {
  expect(await readFile(testCluster().kubeconfig, 'utf8')).toContain('https://');
});
