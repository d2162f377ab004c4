import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createTestDatabase, testMedia } from '@session/testing';
import { expect, test, vi } from 'vitest';
import { openBackground } from './background.ts';
import { startTestApi } from './test-api.ts';

test('a running service deletes the room of a session that is closed', async () => {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const AGENT_PROCESS_DIR = await mkdtemp(path.join(tmpdir(), 'agents-'));
  stack.defer(() => rm(AGENT_PROCESS_DIR, { recursive: true }));
  const options = { media: testMedia(), env: { AGENT_PROCESS_DIR } };
  const api = stack.use(await startTestApi(database.url, options));
  stack.use(await openBackground(api.deps, api.app.log));
  const ana = await api.createUser();
  const id = await api.createSession(ana);
  await api.deps.rooms.createRoom(id);
  await api.inject(ana, { method: 'POST', url: `/sessions/${id}/close` });
  const wait = { timeout: 5000, interval: 50 };
  await vi.waitFor(async () => expect(await api.deps.rooms.listRooms()).not.toContain(id), wait);
});
