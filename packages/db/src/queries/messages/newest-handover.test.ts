import { expect } from 'vitest';
import { typedText } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { findNewestHandover } from './newest-handover.ts';

test('the newest step of a handover to a person comes, of one agent alone', async ({ project }) => {
  const sessionId = await project.newSession();
  const own = 'agent-light-agent-0a1b2c3d';
  const reported = (payload: object, identity = own) =>
    appendMessages(project, [
      typedText(sessionId, {
        kind: 'handover',
        role: 'system',
        status: null,
        metadata: { kind: 'handover', participant: { identity }, payload },
      }),
    ]);
  const find = (identity = own) => findNewestHandover(project, { sessionId, identity });
  expect(await find()).toBeUndefined();
  await reported({ state: 'requested', reason: 'refund' });
  await reported({ state: 'taken', reason: 'refund' });
  await reported({ state: 'requested', reason: 'a price', to: { name: 'Sales' } });
  await reported({ state: 'done', reason: 'refund' }, 'agent-light-agent-ffffffff');
  await appendMessages(project, [typedText(sessionId, { content: 'hello' })]);
  expect(await find()).toEqual({ state: 'taken', reason: 'refund' });
  expect(await find('agent-light-agent-1')).toBeUndefined();
});
