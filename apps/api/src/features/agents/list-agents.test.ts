import * as db from '@session/db';
import { expect } from 'vitest';
import { apiTest as test } from '../../../testing/api-test.ts';

test('200 with all agents of the session, also stopped ones, the newest first, page by page', async ({
  api,
  ana,
}) => {
  const sessionId = await api.createSession(ana);
  const url = `/sessions/${sessionId}/agents`;
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const payload = { role: 'echo-agent' };
    const { id } = (await api.inject(ana, { method: 'POST', url, payload })).json();
    ids.unshift(id);
    const end = { status: 'Stopped', reason: 'completed', detail: null, exitCode: 0 } as const;
    await db.updateAgentState(api.deps.database, id, end);
  }
  const first = (await api.inject(ana, { url: `${url}?limit=2` })).json();
  expect([idsOf(first.items), first.nextCursor]).toEqual([ids.slice(0, 2), ids[1]]);
  const rest = (await api.inject(ana, { url: `${url}?limit=2&cursor=${first.nextCursor}` })).json();
  expect([idsOf(rest.items), rest.nextCursor]).toEqual([ids.slice(2), null]);
  const other = await api.inject(ana, { url: `/sessions/${await api.createSession(ana)}/agents` });
  expect(other.json()).toEqual({ items: [], nextCursor: null });
});

function idsOf(items: { id: string }[]): string[] {
  return items.map(({ id }) => id);
}
