import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { test } from '../../../testing/project-test.ts';
import { upsertEndUser } from '../accounts/end-users.ts';
import { appendMessages } from './append-messages.ts';
import { listParticipantNames } from './participant-names.ts';

test('users and joins are named by their ids, and what is not stored has no name', async ({
  project,
}) => {
  const [sessionId = '', other = ''] = await project.newSessions(2);
  const [messageId, nameless] = [uuidv7(), uuidv7()];
  const kind = 'participant_joined';
  const join = {
    sessionId,
    receivedAt: 1,
    role: 'system',
    status: null,
    kind,
    content: '',
  } as const;
  await appendMessages(project, [
    { ...join, id: messageId, metadata: { kind, participant: { name: 'Ana' } } },
    { ...join, id: nameless, metadata: { kind, participant: null } },
  ]);
  const endUserId = uuidv7();
  const { projectId, userId: issuedBy } = project;
  const endUser = { id: endUserId, projectId, externalId: 'customer-7', name: 'Ada', issuedBy };
  await upsertEndUser(project, { ...endUser, sessionId });
  const userIds = [project.userId, endUserId, uuidv7()];
  const joins = [
    { sessionId, messageId },
    { sessionId, messageId: nameless },
    { sessionId: other, messageId },
    { sessionId, messageId: uuidv7() },
  ];
  const [user] = await project.sql<{ name: string }[]>`
    select name from users where id = ${project.userId}`;
  expect(await listParticipantNames(project, { userIds, joins })).toEqual(
    new Map([
      [project.userId, { name: user?.name }],
      [messageId, { name: 'Ana' }],
      [nameless, { name: '' }],
      [endUserId, { name: 'Ada', externalId: 'customer-7' }],
    ]),
  );
  expect(await listParticipantNames(project, { userIds: [], joins: [] })).toEqual(new Map());
});
