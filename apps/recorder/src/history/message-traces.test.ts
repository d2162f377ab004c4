import { once } from 'node:events';
import { DatabaseProxy } from '@session/testing';
import { traceIdOf } from '@session/traces';
import { type Receiver, startReceiver, traceEnv, tracesTo } from '@session/traces/testing';
import { expect, test } from 'vitest';
import { openTestHistoryWriter, textMessage } from '../../testing/history-writer.ts';
import { health, startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';

test('a message is one trace from its room event to its row, under the digits of its id', async () => {
  await using receiver = await startReceiver();
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const sessionId = await stage.createSession();
  await using stack = new AsyncDisposableStack();
  const env = { ...stage.env(temp.folder), ...traceEnv(receiver) };
  stack.use(await startRecorderProcess(env));
  await stage.untilRecording(sessionId);
  const ana = await stage.join(sessionId);
  const id = await ana.say('planted words');
  const history = await stage.historyWith(sessionId, (row) => row.id === id);
  // On a busy machine, the message also waits in the spool.
  const steps = () => stepsOf(receiver, id).filter((name) => name !== 'spool');
  await expect.poll(steps).toEqual(['commit', 'flush', 'receive', 'record message']);
  const spans = receiver.trace(traceIdOf(id));
  const path = spans.find(({ name }) => name === 'record message');
  expect(path).toMatchObject({
    attributes: { 'session_service.session.id': sessionId, 'session_service.message.kind': 'text' },
    resource: { 'service.name': 'session-recorder' },
  });
  const parents = spans.filter((span) => span !== path).map(({ parentSpanId }) => parentSpanId);
  expect(new Set(parents)).toEqual(new Set([path?.spanId]));
  expect(history.map(({ content }) => content)).toContain('planted words');
  for (const planted of ['planted', 'Ana', ana.identity]) {
    expect(receiver.bodies.join('\n')).not.toContain(planted);
  }
});

test('a message that waits in the spool while its recorder is killed has every step in one trace', async () => {
  await using receiver = await startReceiver();
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using databaseProxy = await DatabaseProxy.open(stage.databaseUrl);
  const env = { ...stage.env(temp.folder), ...traceEnv(receiver), DATABASE_URL: databaseProxy.url };
  const sessionId = await stage.createSession();
  let id: string;
  {
    await using program = await startRecorderProcess(env);
    await stage.untilRecording(sessionId);
    const ana = await stage.join(sessionId);
    await databaseProxy.refuseConnections();
    id = await ana.say('kept');
    await until(async () => Object(await health(program)).spool.messages > 0);
    await expect.poll(() => stepsOf(receiver, id)).toEqual(['receive', 'spool']);
    const exit = once(program.child, 'exit');
    program.child.kill('SIGKILL');
    await exit;
  }
  const starting = startRecorderProcess(env);
  await databaseProxy.acceptConnections();
  await using stack = new AsyncDisposableStack();
  stack.use(await starting);
  await expect
    .poll(() => stepsOf(receiver, id))
    .toEqual(['commit', 'flush', 'receive', 'record message', 'spool']);
  const parents = new Set(receiver.trace(traceIdOf(id)).map(({ parentSpanId }) => parentSpanId));
  const path = receiver.spans.find(
    ({ name, traceId }) => name === 'record message' && traceId === traceIdOf(id),
  );
  expect(parents).toEqual(new Set([path?.parentSpanId, path?.spanId]));
});

test('a writer that stores nothing for a while traces no attempt that failed, and each message once', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  let attempts = 0;
  const queries = {
    appendMessages: async () => {
      attempts += 1;
      if (attempts < 4) throw Object.assign(new Error('away'), { code: '57P01' });
      return {
        stored: 1,
        sessions: 1,
        lockedSessions: [],
        conflicts: 0,
        ignored: [],
        intruded: 0,
        gaps: [],
      };
    },
  };
  await using opened = await openTestHistoryWriter({ queries, traces });
  const message = textMessage('01890a5d-ac96-774b-bcce-b302099a8057', 'words');
  opened.writer.push(message);
  await opened.writer.end(new AbortController().signal);
  await traces.flush();
  expect(attempts).toBe(4);
  expect(stepsOf(receiver, message.id)).toEqual([
    'commit',
    'flush',
    'receive',
    'record message',
    'spool',
  ]);
});

test('a message that a late answer settles, and that the spool has too, has each step once', async () => {
  await using receiver = await startReceiver();
  await using traces = await tracesTo(receiver);
  const answer = Promise.withResolvers<void>();
  const ids: string[] = [];
  const queries = {
    appendMessages: async (messages: readonly { readonly id: string }[]) => {
      ids.push(...messages.map(({ id }) => id));
      await answer.promise;
      return {
        stored: 1,
        sessions: 1,
        lockedSessions: [],
        conflicts: 0,
        ignored: [],
        intruded: 0,
        gaps: [],
      };
    },
  };
  const timing = { flushMs: 1, spoolMs: 1, refuseMs: 600_000 };
  await using opened = await openTestHistoryWriter({ queries, traces, timing });
  const message = textMessage('01890a5d-ac96-774b-bcce-b302099a8057', 'words');
  opened.writer.push(message);
  await expect.poll(() => opened.writer.spool.messages).toBe(1);
  answer.resolve();
  await opened.writer.end(new AbortController().signal);
  await traces.flush();
  expect(ids).toEqual([message.id]);
  const steps = stepsOf(receiver, message.id);
  expect(steps).toEqual(['commit', 'flush', 'receive', 'record message', 'spool']);
});

function stepsOf(receiver: Receiver, messageId: string): string[] {
  return receiver
    .trace(traceIdOf(messageId))
    .map(({ name }) => name)
    .toSorted();
}
