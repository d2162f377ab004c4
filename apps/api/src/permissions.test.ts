import { expect, test } from 'vitest';
import { fakeDatabase } from '../testing/answered-database.ts';
import { type Action, createAuthorize } from './permissions.ts';

const me = 'me';
const authorize = createAuthorize(
  fakeDatabase(async (_, [id]) =>
    id === me ? [{ id, email: 'me@example.org', createdAt: '' }] : [],
  ),
);

// As in the contract: what a MEMBER, an ADMIN and an OWNER may do. `own`: they may do this to objects of their own.
const table: [Action, ...['own' | 'yes' | 'no', 'own' | 'yes' | 'no', 'own' | 'yes']][] = [
  ['read', 'yes', 'yes', 'yes'],
  ['createSession', 'yes', 'yes', 'yes'],
  ['changeSession', 'yes', 'yes', 'yes'],
  ['joinSession', 'yes', 'yes', 'yes'],
  ['say', 'yes', 'yes', 'yes'],
  ['importMessages', 'no', 'yes', 'yes'],
  ['letParticipantsIn', 'no', 'yes', 'yes'],
  ['startAgent', 'yes', 'yes', 'yes'],
  ['closeSession', 'own', 'yes', 'yes'],
  ['stopAgent', 'own', 'yes', 'yes'],
  ['joinAsAgent', 'own', 'own', 'own'],
  ['deleteSession', 'no', 'yes', 'yes'],
  ['erase', 'no', 'yes', 'yes'],
  ['writeTemplates', 'no', 'yes', 'yes'],
  ['renameProject', 'no', 'yes', 'yes'],
  ['addMember', 'no', 'yes', 'yes'],
  ['removeMember', 'no', 'yes', 'yes'],
  ['addLeader', 'no', 'no', 'yes'],
  ['removeLeader', 'no', 'no', 'yes'],
  ['manageApiKeys', 'no', 'yes', 'yes'],
  ['readAudit', 'no', 'yes', 'yes'],
  ['issueAdminKey', 'no', 'no', 'yes'],
  ['leaveProject', 'yes', 'yes', 'yes'],
  ['changeRoles', 'no', 'no', 'yes'],
  ['setRetention', 'no', 'no', 'yes'],
  ['deleteProject', 'no', 'no', 'yes'],
];

test.each(table)('%s: MEMBER %s, ADMIN %s, OWNER %s', async (action, ...allowed) => {
  for (const [index, memberRole] of (['MEMBER', 'ADMIN', 'OWNER'] as const).entries()) {
    const rule = allowed[index];
    expect(await codeOf(action, { memberRole, createdBy: 'another' })).toBe(
      rule === 'yes' ? 'allowed' : 'forbidden',
    );
    expect(await codeOf(action, { memberRole, createdBy: me })).toBe(
      rule === 'no' ? 'forbidden' : 'allowed',
    );
  }
});

test('not_found without a row, unauthorized when the user does not exist either', async () => {
  await expect(authorize(me, 'read', undefined)).rejects.toMatchObject({ code: 'not_found' });
  await expect(authorize('gone', 'read', undefined)).rejects.toMatchObject({
    code: 'unauthorized',
  });
});

async function codeOf(action: Action, row: Parameters<typeof authorize>[2]): Promise<string> {
  return await authorize(me, action, row).then(
    () => 'allowed',
    (error: { code: string }) => error.code,
  );
}
