import { createServer, type ServerResponse } from 'node:http';
import { isoFromText, LATEST_MESSAGES, PAGE_MESSAGES, PAGE_MESSAGES_BEFORE } from '@session/db';
import postgres, { type Row } from 'postgres';

// The server with which the API's reads of messages are compared: the same statements and the same answers, with `node:http`
// and postgres.js alone. It checks neither token nor input: the user id comes in a header.

// Times are text, as in the API: `Date` objects would be slower.
const TIMESTAMPTZ = 1184;
const time = { to: TIMESTAMPTZ, from: [TIMESTAMPTZ], serialize: String, parse: String };
const url = process.env['DATABASE_URL'] ?? '';
const sql = postgres(url, { connection: { TimeZone: 'UTC' }, types: { time } });
const prepare = true;

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
    ? sql.unsafe(PAGE_MESSAGES.text, [...reader, limit + 1], { prepare })
    : sql.unsafe(PAGE_MESSAGES_BEFORE.text, [...reader, limit + 1, cursor], { prepare }));
  const items = itemsOf(reader[0], rows, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.['id'] ?? null) : null };
}

async function latest(reader: readonly string[], query: URLSearchParams) {
  const limit = Number(query.get('limit'));
  const since = query.get('since') ?? '';
  const rows = await sql.unsafe(LATEST_MESSAGES.text, [...reader, since, limit + 1], { prepare });
  const items = itemsOf(reader[0], rows, limit);
  const nextSince = items.length === 0 ? since : isoFromText(rows[items.length - 1]?.['seenAt']);
  return { items, nextSince, hasMore: rows.length > limit };
}

function itemsOf(sessionId: string | undefined, rows: readonly Row[], limit: number) {
  // A row without a message means that the session has no messages.
  if (rows[0]?.['id'] === null) return [];
  return rows.slice(0, limit).map((row) => ({
    id: row['id'],
    sessionId,
    content: row['content'],
    role: row['role'],
    status: row['status'],
    metadata: row['metadata'],
    timestamp: isoFromText(row['at']),
    createdAt: isoFromText(row['createdAt']),
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
