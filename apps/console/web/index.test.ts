import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('the page describes itself to search engines and previews', async () => {
  const page = await readFile(new URL('index.html', import.meta.url), 'utf8');
  expect(page).toMatch(/<meta\s+name="description"\s+content="[^"]{50,160}"/);
});
