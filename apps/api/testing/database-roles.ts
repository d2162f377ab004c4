import { randomUUID } from 'node:crypto';
import { openDatabase, prepareDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { inject } from 'vitest';

/** A migrated database whose tables belong to a role without any other right. */
export interface OwnedDatabase extends AsyncDisposable {
  readonly adminUrl: string;
  readonly ownerUrl: string;
  readonly owner: string;
  readonly name: string;
}

/** Creates the database and its owner. Disposal drops both, and the roles that are members of the owner. */
export async function createOwnedDatabase(): Promise<OwnedDatabase> {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(openDatabase(inject('postgres').adminUrl, { connections: 1 }));
  const owner = `owner_${randomUUID().replaceAll('-', '')}`;
  await server.sql.unsafe(`create role ${owner} login password 'first'`);
  stack.defer(async () => {
    const members = await server.sql<{ name: string }[]>`
      select member::regrole::text as name from pg_auth_members where roleid = ${owner}::regrole`;
    for (const { name } of members) await server.sql.unsafe(`drop role ${name}`);
    await server.sql.unsafe(`drop role ${owner}`);
  });
  const { url: adminUrl } = stack.use(await createTestDatabase({ isMigrated: false }));
  const name = new URL(adminUrl).pathname.slice(1);
  await server.sql.unsafe(`alter database ${name} owner to ${owner}`);
  const ownerUrl = urlOf(adminUrl, owner, 'first');
  const stop = new AbortController().signal;
  await prepareDatabase({ databaseUrl: ownerUrl, databaseDirectUrl: ownerUrl }, { stop });
  const owned = stack.move();
  return { adminUrl, ownerUrl, owner, name, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

export function urlOf(url: string, role: string, password: string): string {
  const changed = new URL(url);
  changed.username = role;
  changed.password = password;
  return changed.href;
}
