import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { listNewestToolCalls } from './tool-calls.ts';

test('the newest events of tool calls come, the newest first, and nothing that was said', async ({
  project,
}) => {
  const sessionId = await project.newSession();
  const called = (state: string) =>
    appendMessages(project, [
      typedText(sessionId, {
        kind: 'tool_call',
        role: 'system',
        status: null,
        metadata: { kind: 'tool_call', payload: { call: 'c1', tool: 'book', state } },
      }),
    ]);
  await called('started');
  await appendMessages(project, [typedText(sessionId, { content: 'hello' })]);
  await called('done');
  const other = await project.newSession();
  const found = await listNewestToolCalls(project, { sessionId, limit: 5 });
  expect(found).toEqual(
    ['done', 'started'].map((state) => ({
      timestamp: expect.stringMatching(/Z$/),
      report: { call: 'c1', tool: 'book', state },
    })),
  );
  expect(await listNewestToolCalls(project, { sessionId, limit: 1 })).toHaveLength(1);
  expect(await listNewestToolCalls(project, { sessionId: other, limit: 5 })).toEqual([]);
});
