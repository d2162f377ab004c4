import postgres from 'postgres';
import type { LoadRequest } from './load.ts';
import type { Servers } from './servers.ts';

const PAGES = 2000;

export interface Read {
  readonly name: string;
  readonly requests: readonly LoadRequest[];
}

interface ReadTarget {
  readonly sessionId: string;
  readonly userId: string;
  readonly id: string;
  readonly at: Date;
}

export async function readsOf(url: string, servers: Servers): Promise<Read[]> {
  const sql = postgres(url, { max: 1, connection: { TimeZone: 'UTC' } });
  const headers = new Map<string, Record<string, string>>();
  const requestOf = (target: ReadTarget, path: string): LoadRequest => {
    const { userId, sessionId } = target;
    const known = headers.get(userId) ?? servers.headersOf(userId);
    headers.set(userId, known);
    return { path: `/sessions/${sessionId}/messages${path}`, headers: known };
  };
  try {
    const long = await sql<ReadTarget[]>`
      select id as "sessionId", created_by as "userId" from sessions where name like 'long %' order by id`;
    const any = await sql<ReadTarget[]>`
      select id as "sessionId", created_by as "userId" from sessions where name not like 'waiting %'
      order by md5(id::text) limit ${PAGES}`;
    const deep = await sql<ReadTarget[]>`
      select s.id as "sessionId", s.created_by as "userId", m.id from sessions s join session_heads h on h.session_id = s.id,
        lateral (select id from messages where session_id = s.id order by "timestamp" desc
          offset h.message_count * 9 / 10 limit 25) m
      where s.name like 'long %' order by md5(m.id::text)`;
    // For each session, the time of the message that has `newer` newer ones.
    const recent = async (newer: number) =>
      await sql<ReadTarget[]>`
      select s.id as "sessionId", s.created_by as "userId", m."timestamp" as at from sessions s,
        lateral (select "timestamp" from messages where session_id = s.id order by "timestamp" desc offset ${newer} limit 1) m
      order by md5(s.id::text) limit ${PAGES}`;
    const since = (target: ReadTarget) =>
      requestOf(target, `/latest?limit=100&since=${target.at.toISOString()}`);
    const page = '?limit=50';
    return [
      { name: 'newest page', requests: any.map((target) => requestOf(target, page)) },
      {
        name: 'newest page of long sessions',
        requests: long.map((target) => requestOf(target, page)),
      },
      {
        name: 'page at 90 % depth of long sessions',
        requests: deep.map((target) => requestOf(target, `${page}&cursor=${target.id}`)),
      },
      { name: '`since`, 50 new messages', requests: (await recent(50)).map(since) },
      { name: '`since`, nothing new', requests: (await recent(0)).map(since) },
    ];
  } finally {
    await sql.end();
  }
}
