import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { appendMessages } from './append-messages.ts';
import { listPresentIdentities } from './present-participants.ts';

test('a participant is present from its join to the leave of the same stay, in that session only', async ({
  project,
}) => {
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const event = (kind: string, identity: string | null, rawId: string, of = sessionId) => ({
    id: uuidv7(),
    sessionId: of,
    receivedAt: 1,
    role: 'system' as const,
    status: null,
    kind,
    content: '',
    metadata: { kind, participant: identity === null ? null : { identity }, rawId },
  });
  await appendMessages(project, [
    event('participant_joined', 'ana', 'PA_1'),
    event('participant_joined', 'bea', 'PA_2'),
    event('participant_joined', null, 'PA_3'),
    event('participant_joined', 'cara', 'PA_4', other),
    event('participant_left', 'ana', 'PA_1'),
    event('participant_joined', 'dora', 'PA_5'),
    event('participant_joined', 'ana', 'PA_6'),
    event('participant_left', 'dora', 'PA_0'),
    event('text', 'eva', 'PA_7'),
  ]);
  const present = await listPresentIdentities(project, sessionId);
  expect(present.map(({ identity }) => identity)).toEqual(['ana', 'dora', 'bea']);
  expect(await listPresentIdentities(project, uuidv7())).toEqual([]);
});
