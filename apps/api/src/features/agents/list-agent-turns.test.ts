import { AgentTurns } from '@session/contract';
import { agentIdentity } from '@session/contract/room';
import * as db from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import type { TestApi, TestUser } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

const FIGURES = { model: 'small', fallback: false, firstWordsMs: 320, durationMs: 900 };
const nothing = { p50: null, p95: null };

async function startAgent(api: TestApi, ana: TestUser) {
  const sessionId = await api.createSession(ana);
  const payload = { role: 'echo-agent' };
  const start = { method: 'POST', url: `/sessions/${sessionId}/agents`, payload } as const;
  const { id } = (await api.inject(ana, start)).json();
  return { sessionId, id, identity: agentIdentity({ role: 'echo-agent', agentId: id }) };
}

async function answer(
  api: TestApi,
  { sessionId, identity }: { readonly sessionId: string; readonly identity: string },
  metadata: object,
) {
  const message = {
    sessionId,
    id: uuidv7(),
    receivedAt: Date.now(),
    role: 'assistant',
    status: 'complete',
    kind: 'transcript',
    content: 'Good morning.',
    metadata: { kind: 'transcript', participant: { identity }, ...metadata },
  } as const;
  await db.appendMessages(api.deps.database, [message]);
  return message.id;
}

test('200 with the turns of the agent, the newest first, page by page, and their percentiles', async ({
  api,
  ana,
}) => {
  const agent = await startAgent(api, ana);
  const url = `/agents/${agent.id}/turns`;
  expect((await api.inject(ana, { url })).json()).toEqual({
    items: [],
    nextCursor: null,
    summary: {
      turns: 0,
      endOfTurnMs: nothing,
      firstTokenMs: nothing,
      firstWordsMs: nothing,
      durationMs: nothing,
    },
  });
  const first = await answer(api, agent, { turn: FIGURES, interrupted: true });
  await answer(api, agent, {});
  const second = await answer(api, agent, { turn: { firstWordsMs: 500 } });
  const page = (await api.inject(ana, { url: `${url}?limit=1` })).json();
  expect(AgentTurns.parse(page)).toMatchObject({
    items: [{ messageId: second, interrupted: false, figures: { firstWordsMs: 500 } }],
    nextCursor: second,
    summary: { turns: 2, firstWordsMs: { p50: 320, p95: 500 }, durationMs: { p50: 900 } },
  });
  const next = (await api.inject(ana, { url: `${url}?limit=1&cursor=${second}` })).json();
  expect(next).toMatchObject({
    items: [{ messageId: first, interrupted: true, truncated: false, figures: FIGURES }],
    nextCursor: null,
  });
});

test('400 for a cursor that is no message of the session, 404 for an agent of a foreign project', async ({
  api,
  ana,
}) => {
  const bob = await api.createUser('bob');
  const { id } = await startAgent(api, ana);
  const url = `/agents/${id}/turns`;
  const unknown = await api.inject(ana, { url: `${url}?cursor=${uuidv7()}` });
  expect([unknown.statusCode, unknown.json().code]).toEqual([400, 'invalid_cursor']);
  expect((await api.inject(bob, { url })).statusCode).toBe(404);
});
