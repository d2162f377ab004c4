import { createServer, type ServerResponse } from 'node:http';
import { ISO_TIME } from '@session/db';
import postgres, { type Row } from 'postgres';

// The server with which the API's reads of messages are compared: the same answers by the plainest statements, with `node:http`
// and postgres.js alone. It checks neither token nor input: the user id comes in a header.

const url = process.env['DATABASE_URL'] ?? '';
const sql = postgres(url, { connection: { TimeZone: 'UTC' }, types: { time: ISO_TIME } });
const prepare = true;

const OF_MEMBER = `
  select id, content, role, status, metadata, "timestamp" as at, created_at as "createdAt" from messages
  where session_id = $1 and exists (
    select from sessions s join memberships m on m.project_id = s.project_id where s.id = $1 and m.user_id = $2
  )`;
const PAGE = `${OF_MEMBER} order by "timestamp" desc limit $3`;
const PAGE_BEFORE = `${OF_MEMBER}
  and "timestamp" < (select "timestamp" from messages where session_id = $1 and id = $4)
  order by "timestamp" desc limit $3`;
const LATEST = `${OF_MEMBER} and "timestamp" > $4 order by "timestamp" limit $3`;

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  const [, , sessionId = '', , isLatest] = pathname.split('/');
  const reader = [sessionId, String(request.headers['x-user-id'])];
  const answer = isLatest ? latest(reader, searchParams) : page(reader, searchParams);
  answer.then(
    (body) => send(response, body),
    (error) => response.writeHead(500).end(String(error)),
  );
});
server.listen(Number(process.env['PORT']), '127.0.0.1', () => process.send?.('ready'));

async function page(reader: readonly string[], query: URLSearchParams) {
  const limit = Number(query.get('limit'));
  const cursor = query.get('cursor');
  const rows = await (cursor === null
    ? sql.unsafe(PAGE, [...reader, limit + 1], { prepare })
    : sql.unsafe(PAGE_BEFORE, [...reader, limit + 1, cursor], { prepare }));
  const items = itemsOf(reader[0], rows, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

async function latest(reader: readonly string[], query: URLSearchParams) {
  const limit = Number(query.get('limit'));
  const since = query.get('since') ?? '';
  const rows = await sql.unsafe(LATEST, [...reader, limit + 1, since], { prepare });
  const items = itemsOf(reader[0], rows, limit);
  return { items, nextSince: items.at(-1)?.timestamp ?? since, hasMore: rows.length > limit };
}

function itemsOf(sessionId: string | undefined, rows: readonly Row[], limit: number) {
  return rows.slice(0, limit).map((row) => ({
    id: row['id'],
    sessionId,
    content: row['content'],
    role: row['role'],
    status: row['status'],
    metadata: row['metadata'],
    timestamp: row['at'],
    createdAt: row['createdAt'],
  }));
}

function send(response: ServerResponse, answer: object): void {
  const body = JSON.stringify(answer);
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
