import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { listNewestToolCalls } from './tool-calls.ts';

test('the newest events of the tool calls of an agent come, the newest first, and nothing that was said', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const called = (state: string, identity = 'agent-light-agent-0a1b2c3d') =>
    appendMessages(project, [
      typedText(sessionId, {
        kind: 'tool_call',
        role: 'system',
        status: null,
        metadata: {
          kind: 'tool_call',
          participant: { identity },
          payload: { call: 'c1', tool: 'book', state },
        },
      }),
    ]);
  await called('started');
  await appendMessages(project, [typedText(sessionId, { content: 'hello' })]);
  await called('done');
  await called('failed', 'agent-core-agent-0a1b2c3d');
  await called('failed', 'agent-light-agent-ffffffff');
  await called('failed', 'user-1');
  const other = await project.newSession();
  const from = ['agent-light-agent-0a1b2c3d'];
  const found = await listNewestToolCalls(project, { sessionId, from, limit: 5 });
  expect(found).toEqual(
    ['done', 'started'].map((state) => ({
      timestamp: expect.stringMatching(/Z$/),
      report: { call: 'c1', tool: 'book', state },
    })),
  );
  expect(await listNewestToolCalls(project, { sessionId, from, limit: 1 })).toHaveLength(1);
  expect(await listNewestToolCalls(project, { sessionId: other, from, limit: 5 })).toEqual([]);
});
