import { expect } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';
import { apiTest as test } from '../../../testing/api-test.ts';

test('a message that is stored after its 503 reaches the room all the same', async ({
  database,
  ana,
}) => {
  const held = Promise.withResolvers<void>();
  const sent: string[] = [];
  let waiting = 0;
  await using own = await startTestApi(database.url);
  const sayOnce: typeof own.deps.sayOnce = async (...creation) => {
    waiting += 1;
    await held.promise;
    return await own.deps.sayOnce(...creation);
  };
  const sendPacket = async (room: string) => void sent.push(room);
  const rooms = { ...own.deps.rooms, sendPacket };
  const timeLimits = { requestMs: 30_000, statementMs: 300, serverMs: 30_000 };
  await using api = await startTestApi(database.url, { timeLimits, deps: { rooms, sayOnce } });
  const sessionId = await own.createSession(ana);
  // On a slow machine, the limit of a statement may end a request before it stores its message.
  const say = async () => {
    const url = `/sessions/${sessionId}/messages`;
    const answer = await api.inject(ana, { method: 'POST', url, payload: { content: 'hello' } });
    expect([answer.statusCode, answer.json().code]).toEqual([503, 'unavailable']);
    return waiting;
  };
  await expect.poll(say).toBe(1);
  expect(sent).toEqual([]);
  held.resolve();
  await expect.poll(() => sent).toEqual([sessionId]);
});
