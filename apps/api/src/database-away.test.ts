import { createTestDatabase, openWay } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from './test-api.ts';

test('503 for what the database left unanswered and while it is away, 200 when it is back', async () => {
  await using database = await createTestDatabase();
  await using way = await openWay(database.url);
  await using api = await startTestApi(way.url);
  const ana = await api.createUser();
  const ask = async (url = '/projects') => await api.inject(ana, { url });
  expect(await ask()).toMatchObject({ statusCode: 200 });

  way.freeze();
  const unanswered = Array.from({ length: 5 }, () => ask());
  await way.cut();
  const refused = Array.from({ length: 20 }, () => ask());
  for (const answer of await Promise.all([...unanswered, ...refused])) {
    expect(answer.json()).toMatchObject({ status: 503, code: 'unavailable' });
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(await ask('/health')).toMatchObject({ statusCode: 503 });

  await way.mend();
  await expect.poll(() => ask(), { timeout: 5000 }).toMatchObject({ statusCode: 200 });
  expect(await ask('/health')).toMatchObject({ statusCode: 200 });
});
