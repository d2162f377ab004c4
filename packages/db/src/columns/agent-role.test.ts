import { agentIdentity } from '@session/contract/room';
import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { openDatabase } from '../connection/client.ts';
import { agentIdentityText } from './agent-role.ts';

test('a statement makes the identity of an agent as the contract does, whatever suffix its role has', async () => {
  await using database = await createTestDatabase();
  await using own = openDatabase(database.url, { connections: 1 });
  const agentId = '01890a5d-ac96-774b-bcce-b302099a8057';
  const rows = await own.sql.unsafe(
    `select ${agentIdentityText('agent')} as identity
    from (values ('echo-agent'), ('echo-agent/2')) as named (role)
    cross join lateral (select $1::uuid as id, named.role as role) agent`,
    [agentId],
  );
  const identity = agentIdentity({ role: 'echo-agent', agentId });
  expect(rows).toEqual([{ identity }, { identity }]);
});
