import postgres from 'postgres';
import type { Read } from './reads.ts';
import type { Server } from './servers.ts';

/** Returns the same read with an API key of each project in place of its owner's token. */
export async function keyedRead(read: Read, server: Server, databaseUrl: string): Promise<Read> {
  const sql = postgres(databaseUrl, { max: 1 });
  const secrets = new Map<string, string>();
  try {
    // Removes the keys of the last run, whose secrets are lost.
    await sql`delete from users where kind = 'service'`;
    for (const { path, headers } of read.requests) {
      const [, , sessionId = ''] = path.split('/');
      const [session] = await sql<{ projectId: string }[]>`
        select project_id as "projectId" from sessions where id = ${sessionId}`;
      const answer = await fetch(`${server.address}/projects/${session?.projectId}/api-keys`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"name":"bench"}',
      });
      const { secret = '' }: { secret?: string } = JSON.parse(await answer.text());
      secrets.set(path, secret);
    }
  } finally {
    await sql.end();
  }
  return {
    name: `${read.name}, by API keys`,
    requests: read.requests.map((request) => ({
      ...request,
      headers: { authorization: `Bearer ${secrets.get(request.path)}` },
    })),
  };
}
