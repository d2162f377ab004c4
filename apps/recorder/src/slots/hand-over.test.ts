import { expect } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { FAST, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';
import { handOver } from './hand-over.ts';

test('a recorder that drains stays until a text is whole that its successor has not received from the start', async ({
  stage,
}) => {
  const first = await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const text = await ana.openText('lk.chat');
  await text.write('half of ');
  await ana.sendText('lk.chat', 'a mark');
  await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  await stage.record();
  const before = await stage.slot(sessionId);
  const stopping = first.stop(new AbortController().signal);
  await until(async () => {
    const slot = await stage.slot(sessionId);
    return slot?.recorder_id !== before?.recorder_id && slot?.status === 'recording';
  });
  await text.write('a sentence');
  await text.end();
  await stopping;
  const history = await stage.historyWith(sessionId, ({ content }) => content.startsWith('half'));
  expect(history.filter(({ content }) => content.startsWith('half'))).toMatchObject([
    { content: 'half of a sentence', status: 'complete' },
  ]);
  expect(await stage.gaps(sessionId)).toEqual({ reported: [], left: [] });
});

test('a recorder that drains cuts a text that does not end: the text is truncated, and the history has a gap there', async ({
  stage,
}) => {
  const first = await stage.record({ timing: { ...FAST, drainMs: 3000 } });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const text = await ana.openText('lk.chat');
  await text.write('half of ');
  await ana.sendText('lk.chat', 'a mark');
  await stage.historyWith(sessionId, ({ content }) => content === 'a mark');
  await stage.record();
  await first.stop(new AbortController().signal);
  const cutAt = Date.now();
  await text.write('a sentence');
  await text.end();
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'recording_gap');
  expect(history.filter(({ content }) => content.startsWith('half'))).toMatchObject([
    { content: 'half of ', status: 'pending', metadata: { truncated: true } },
  ]);
  const { reported, left } = await stage.gaps(sessionId);
  expect(reported).toEqual(left);
  expect(left).toMatchObject([{ reason: 'recorder_stopped' }]);
  expect(Date.parse(Object(left[0]).from)).toBeLessThanOrEqual(cutAt);
  await ana.sendText('lk.chat', 'another mark');
  await stage.historyWith(sessionId, ({ content }) => content === 'another mark');
});

/** Hands these sessions over to other recorders, each of which takes one session at a time. */
function openHandOver(sessions: readonly string[], since: string | null) {
  const held = new Set(sessions);
  const done: string[] = [];
  const faults: { announce?: Error } = {};
  const asked: number[] = [];
  const deps = {
    recorderId: 'recorder',
    queries: {
      async wakeRecorders() {
        done.push('wake');
      },
      async listHandedOver(_: string, left: readonly string[]) {
        asked.push(left.length);
        return left.slice(0, 1).map((sessionId) => ({ sessionId, since }));
      },
    },
    log: logTo(() => void done.push('warn')),
    timing: { ...FAST, pollMs: 1 },
    async announce() {
      done.push('announce');
      if (faults.announce) throw faults.announce;
    },
    mayDeclareDead: () => true,
    list: () =>
      sessions.map((sessionId) => ({
        sessionId,
        state: held.has(sessionId) ? ('held' as const) : ('ending' as const),
      })),
    end(sessionId: string, coveredSince: number | undefined) {
      held.delete(sessionId);
      done.push(`${sessionId} since ${coveredSince}`);
    },
  };
  return { deps, done, asked, faults };
}

const never = new AbortController().signal;

test('other recorders are notified and woken first, and each session ends when it is taken', async () => {
  const { deps, done, asked } = openHandOver(['a', 'b'], new Date(7).toISOString());
  await handOver(deps, never);
  expect(done).toEqual(['announce', 'wake', 'a since 7', 'b since 7']);
  expect(asked).toEqual([2, 1]);
});

test('sessions that no other recorder can take end without a time', async () => {
  const { deps, done } = openHandOver(['a'], null);
  await handOver(deps, never);
  expect(done.at(-1)).toBe('a since undefined');
});

test('a recorder waits for silent ones until they may be declared dead', async () => {
  const { deps, done } = openHandOver(['a'], null);
  const verdicts = [true, false];
  const mayDeclareDead = () => verdicts.pop() ?? true;
  const asked: boolean[] = [];
  const queries = {
    ...deps.queries,
    async listHandedOver(_: string, left: readonly string[], areDead = true) {
      asked.push(areDead);
      return areDead ? left.map((sessionId) => ({ sessionId, since: null })) : [];
    },
  };
  await handOver({ ...deps, queries, mayDeclareDead }, never);
  expect([asked, done.at(-1)]).toEqual([[false, true], 'a since undefined']);
});

test('a recorder without sessions asks for nothing', async () => {
  const { deps, asked } = openHandOver([], null);
  await handOver(deps, never);
  expect(asked).toEqual([]);
});

test('a database that is away ends the hand-over with a warning, and no session', async () => {
  const { deps, done, faults } = openHandOver(['a'], null);
  faults.announce = new Error('away');
  await handOver(deps, never);
  expect(done).toEqual(['announce', 'warn']);
});

test('a hand-over that is aborted leaves the other sessions held', async () => {
  const { deps, done, asked } = openHandOver(['a'], null);
  await handOver(deps, AbortSignal.abort());
  expect([done, asked]).toEqual([['announce', 'wake'], []]);
});
