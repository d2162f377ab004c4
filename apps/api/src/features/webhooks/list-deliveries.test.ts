import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('a cursor with a time that PostgreSQL cannot read gets 400, or a page', async ({
  api,
  ana,
}) => {
  const projectId = await api.createProject(ana);
  const payload = { url: 'https://example.org/hook' };
  const url = `/projects/${projectId}/webhooks`;
  const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
  const statusOf = async (time: string) => {
    const cursor = encodeURIComponent(`${time}_${id}`);
    const page = { url: `/webhooks/${id}/deliveries?cursor=${cursor}` };
    return (await api.inject(ana, page)).statusCode;
  };
  expect(await statusOf('2026-11-26T09:00:00.000Z')).toBe(200);
  expect(await statusOf('0000-01-01T00:00:00.000Z')).toBe(200);
  expect(await statusOf('2026-02-31T00:00:00.000Z')).toBe(400);
  expect(await statusOf('2026-11-26T25:00:00.000Z')).toBe(400);
});
