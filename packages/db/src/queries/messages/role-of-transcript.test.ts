import { v4 as uuidv4, v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject, typedText } from '../../../testing/project.ts';
import type { NewMessageRow } from '../../schema/messages.ts';
import { appendMessages } from './append-messages.ts';
import { findMessage } from './messages.ts';

const USER = `user-${uuidv4()}`;

test.each([
  ['user', 'system'],
  ['system', 'user'],
] as const)(
  'a pending transcript in a person’s name of the role %s is completed by the final one that another recorder judged %s',
  async (role, final) => {
    await using project = await createTestProject();
    const [sessionId, id] = [await project.newSession(), uuidv7()];
    const participant = { identity: USER };
    const transcript = (change: Partial<NewMessageRow>, transcribers?: string[]) =>
      typedText(sessionId, {
        id,
        kind: 'transcript',
        metadata: { participant, rawId: id, ...(transcribers && { transcribers }) },
        ...change,
      });
    await appendMessages(project, [
      transcript({ role, status: 'pending', content: 'I ag' }, ['agent-1']),
    ]);
    // Without a transcriber the words are the person's own: another role does not complete them.
    await appendMessages(project, [transcript({ role: final, content: 'I agree to pay' })]);
    const stored = async () => await findMessage(project, { sessionId, id });
    expect(await stored()).toMatchObject({ role, status: 'pending', content: 'I ag' });
    await appendMessages(project, [transcript({ role: final, content: 'I agree' }, ['agent-1'])]);
    expect(await stored()).toMatchObject({ role: final, status: 'complete', content: 'I agree' });
  },
);
