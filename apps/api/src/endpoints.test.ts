import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { apiTestWithoutDatabase as test } from '../testing/api-test.ts';

const features = path.join(import.meta.dirname, 'features');
const sources = globSync('*/*.ts', { cwd: features });
const REGISTRATION = /\bapp\.(?:delete|get|patch|post|put)\(/g;

/** Returns the files that register routes, with the number of their routes. */
async function endpoints(): Promise<[file: string, routes: number][]> {
  const files = sources.filter((file) => !file.endsWith('.test.ts'));
  const counted = files.map(async (file): Promise<[string, number]> => {
    const text = await readFile(path.join(features, file), 'utf8');
    return [file, Array.from(text.matchAll(REGISTRATION)).length];
  });
  return (await Promise.all(counted)).filter(([, routes]) => routes > 0);
}

test('every endpoint has a file of its own, and a test file beside it', async ({ api }) => {
  const found = await endpoints();
  expect(found.filter(([, routes]) => routes > 1)).toEqual([]);
  const untested = found.filter(([file]) => !sources.includes(file.replace(/\.ts$/, '.test.ts')));
  expect(untested.map(([file]) => file)).toEqual([]);
  // The search has missed no route of the API.
  const routes = api.routes.filter(({ method, schema }) => method !== 'HEAD' && !schema?.hide);
  expect(found).toHaveLength(routes.length);
});
