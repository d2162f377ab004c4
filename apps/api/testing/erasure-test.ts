import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { carryOutErasures } from '../src/background/erasures/carry-out-erasures.ts';
import type { TestApi, TestUser } from './api.ts';
import { ownApiTest } from './api-test.ts';

/** As `ownApiTest`, with connections of its `own`. */
export const erasureTest = ownApiTest.extend('own', async ({ databaseUrl }, { onCleanup }) => {
  const own = db.openDatabase(databaseUrl, { connections: 2 });
  onCleanup(() => own[Symbol.asyncDispose]());
  return own;
});

export async function erase(api: TestApi, user: TestUser, projectId: string, payload: object) {
  const url = `/projects/${projectId}/erasures`;
  const answer = await api.inject(user, { method: 'POST', url, payload });
  expect(answer.statusCode).toBe(202);
  return answer.json();
}

/** Carries out the erasures until they are done, as if enough time had passed. */
export async function finishErasures(api: TestApi, own: db.Database): Promise<void> {
  await expect
    .poll(async () => {
      await carryOutErasures(api.deps);
      await own.sql`update erasures set requested_at = requested_at - interval '4 s' where status = 'waiting'`;
      return await own.sql`select id from erasures where status <> 'done'`;
    })
    .toEqual([]);
}

export function said(sessionId: string, content: string, identity = 'user-1'): db.NewMessageRow {
  const participant = { identity, name: `the name of ${identity}` };
  return {
    sessionId,
    id: uuidv7(),
    receivedAt: Date.now(),
    role: 'user',
    status: 'complete',
    kind: 'text',
    content,
    metadata: { kind: 'text', participant },
  };
}
