import type { Sql } from 'postgres';
import type { Database } from '../client.ts';
import { isoFromText } from '../iso-time.ts';
import type { messages } from '../schema/messages.ts';
import { APPEND } from './append-messages.ts';
import type { MemberRole } from './memberships.ts';

type MessageColumns = typeof messages.$inferSelect;

/** All times are ISO 8601, UTC, milliseconds. */
export interface MessageRow {
  readonly id: string;
  readonly timestamp: string;
  readonly createdAt: string;
  readonly role: MessageColumns['role'];
  readonly status: MessageColumns['status'];
  readonly content: string;
  /** The text of a JSON object. */
  readonly metadata: string | null;
}

/** A message to store. */
export interface NewMessageRow {
  readonly sessionId: string;
  readonly id: string;
  /** Milliseconds since the epoch, on the writer's clock. */
  readonly receivedAt: number;
  readonly role: MessageColumns['role'];
  readonly status: MessageColumns['status'];
  readonly kind: string;
  readonly content: string;
  readonly metadata: object | null;
  /**
   * Of a message that only one of several recorders is to store: the interval in which that one has heard it. It is not
   * stored when another recorder has heard it too and has taken its duties over.
   */
  readonly intervalId?: string;
}

/** A message without an id of its own in the room, as it is told from others. */
export interface MessageWithoutId {
  /** ISO 8601. */
  readonly timestamp: string;
  readonly kind: string;
  readonly content: string;
  /** Null when nobody knows who sent it. */
  readonly identity: string | null;
}

export interface MessagePage {
  /** What the reader is in the session's project. */
  readonly memberRole: MemberRole;
  /** False when the cursor is no message of the session; then there are no `messages`. */
  readonly isCursorKnown: boolean;
  /** The newest first. */
  readonly messages: MessageRow[];
}

export interface LatestMessageRows {
  /** What the reader is in the session's project. */
  readonly memberRole: MemberRole;
  /** In the order in which they became visible. */
  readonly messages: MessageRow[];
  /** The `since` of the next read: it misses none and repeats none. */
  readonly nextSince: string;
  /** Whether there are more than `limit`. */
  readonly hasMore: boolean;
  /** The newest place in the history at that moment: with no messages, whoever waits for some waits until it moves. */
  readonly lastAt: string;
}

export interface MessageQueries {
  /**
   * Gives up to `limit` messages of the session, the newest first, beginning after (that is, older than) the message
   * `cursor`; undefined when the user is no member of its project or there is no such session.
   */
  pageMessages(page: {
    sessionId: string;
    userId: string;
    cursor: string | undefined;
    limit: number;
  }): Promise<MessagePage | undefined>;
  /**
   * Gives up to `limit` messages made or completed after `since` (ISO 8601, UTC, exactly milliseconds), the oldest first;
   * undefined as for `pageMessages`.
   */
  latestMessages(after: {
    sessionId: string;
    userId: string;
    since: string;
    limit: number;
  }): Promise<LatestMessageRows | undefined>;
  /**
   * As `latestMessages` for many readers of one session with one read: what each of them gets, by their ids. Who is none
   * of the members gets nothing.
   */
  latestMessagesOfReaders(after: {
    sessionId: string;
    userIds: readonly string[];
    since: string;
    limit: number;
  }): Promise<ReadonlyMap<string, LatestMessageRows>>;
  /**
   * Stores messages of any sessions, given in the order of their arrival, in one transaction. Their timestamps strictly
   * increase within a session in the order of commits; the first complete message of an id wins; a pending one is
   * completed by its sender alone. `sessions` says how many of the sessions exist: messages of others are dropped.
   */
  appendMessages(messages: readonly NewMessageRow[]): Promise<{ sessions: number; stored: number }>;
  /** Gives the session's messages after a time (ISO 8601) that had no id in the room, the oldest first. */
  listMessagesWithoutId(sessionId: string, after: string): Promise<MessageWithoutId[]>;
  /** Gives a message of the session, or undefined. */
  findMessage(key: { sessionId: string; id: string }): Promise<MessageRow | undefined>;
  /** Gives up to `limit` messages made after a time, the oldest first, whoever asks. */
  listMessages(page: { sessionId: string; after: string; limit: number }): Promise<MessageRow[]>;
  /** Gives the newest place in the history of each of the sessions; one that is missing is deleted. */
  listHeads(
    sessionIds: readonly string[],
  ): Promise<readonly { sessionId: string; lastAt: string }[]>;
}

// A time needs another name in the list than its column: else `order by` would sort by the text of the output.
const COLUMNS = `p.id, p."timestamp" as at, p.created_at as "createdAt", p.role, p.status, p.content, p.metadata`;

function pageText(hasCursor: boolean): string {
  return `
select ${hasCursor ? 'c.id is not null' : 'true'} as "isCursorKnown", mb.role as "memberRole", ${COLUMNS}
from sessions s
join memberships mb on mb.project_id = s.project_id and mb.user_id = $2
${hasCursor ? 'left join messages c on c.session_id = $1 and c.id = $4' : ''}
left join lateral (
  select m.id, m."timestamp", m.created_at, m.role, m.status, m.content, m.metadata from messages m
  where m.session_id = $1 ${hasCursor ? 'and m."timestamp" < c."timestamp"' : ''}
  order by m."timestamp" desc limit $3) p on true
where s.id = $1 and s.deleted_at is null order by p."timestamp" desc`;
}

/** Of `pageMessages`: `$1` session, `$2` user, `$3` limit; the second also `$4` cursor. */
export const FIRST_PAGE = pageText(false);
export const NEXT_PAGE = pageText(true);

/** Each version of a message stands at one place, `seen_at`: one merge of two index scans. */
function latestText(reader: string, membership: string): string {
  return `
select h.last_at as "lastAt", p.seen_at as "seenAt", ${reader}, ${COLUMNS}
from sessions s
${membership}
join session_heads h on h.session_id = $1
left join lateral (
  select * from (
    (select m.*, m."timestamp" as seen_at from messages m
     where m.session_id = $1 and m."timestamp" > $3::timestamptz and m.completed_at is null
     order by m."timestamp" limit $4)
    union all
    (select m.*, m.completed_at from messages m
     where m.session_id = $1 and m.completed_at > $3::timestamptz
     order by m.completed_at limit $4)) u
  order by seen_at limit $4) p on true
where s.id = $1 and s.deleted_at is null order by p.seen_at`;
}

/** Of `latestMessages`: `$1` session, `$2` user, `$3` since, `$4` limit. */
export const LATEST = latestText(
  'mb.role as "memberRole"',
  'join memberships mb on mb.project_id = s.project_id and mb.user_id = $2',
);
const LATEST_OF_READERS = latestText(
  'mb.roles',
  `cross join lateral (select coalesce(json_object_agg(m.user_id, m.role), '{}') as roles from memberships m
    where m.project_id = s.project_id and m.user_id = any ($2::uuid[])) mb`,
);

const UNNAMED = `
select p."timestamp" as at, p.kind, p.content, p.metadata #>> '{participant,identity}' as identity from messages p
where p.session_id = $1 and p."timestamp" > $2::timestamptz and p.metadata #> '{rawId}' = 'null' order by p."timestamp"`;

const FIND = `select ${COLUMNS} from messages p where p.session_id = $1 and p.id = $2`;

const LIST = `
select ${COLUMNS} from messages p where p.session_id = $1 and p."timestamp" > $2::timestamptz
order by p."timestamp" limit $3`;

const HEADS = `select session_id as "sessionId", last_at as "lastAt" from session_heads where session_id = any ($1::uuid[])`;

/** Gives the statements on `messages`; they are prepared at their first use on each connection. */
export function prepareMessageQueries({ sql }: Pick<Database, 'sql'>): MessageQueries {
  const prepare = true;
  return {
    async pageMessages({ sessionId, userId, cursor, limit }) {
      const shared = [sessionId, userId, limit];
      const rows = await (cursor === undefined
        ? sql.unsafe<Paged[]>(FIRST_PAGE, shared, { prepare })
        : sql.unsafe<Paged[]>(NEXT_PAGE, [...shared, cursor], { prepare }));
      const [first] = rows;
      if (!first) return undefined;
      const { isCursorKnown, memberRole } = first;
      return { isCursorKnown, memberRole, messages: messageRows(rows) };
    },
    async latestMessages({ sessionId, userId, since, limit }) {
      const parameters = [sessionId, userId, since, limit + 1];
      type Row = Latest & { memberRole: MemberRole };
      const rows = await sql.unsafe<Row[]>(LATEST, parameters, { prepare });
      const [first] = rows;
      return first && { memberRole: first.memberRole, ...latestOf(first, rows, since, limit) };
    },
    async latestMessagesOfReaders({ sessionId, userIds, since, limit }) {
      const parameters = [sessionId, userIds, since, limit + 1];
      type Row = Latest & { roles: Record<string, MemberRole> };
      const rows = await sql.unsafe<Row[]>(LATEST_OF_READERS, parameters, { prepare });
      const [first] = rows;
      if (!first) return new Map();
      const latest = latestOf(first, rows, since, limit);
      const roles = Object.entries(first.roles);
      return new Map(roles.map(([userId, memberRole]) => [userId, { memberRole, ...latest }]));
    },
    appendMessages: (batch) => appendMessages(sql, batch),
    async listMessagesWithoutId(sessionId, after) {
      type Row = Omit<MessageWithoutId, 'timestamp'> & { at: string };
      const rows = await sql.unsafe<Row[]>(UNNAMED, [sessionId, after], { prepare });
      return rows.map(({ at, ...row }) => ({ ...row, timestamp: isoFromText(at) }));
    },
    async findMessage({ sessionId, id }) {
      const rows = await sql.unsafe<StoredMessage[]>(FIND, [sessionId, id], { prepare });
      return messageRows(rows)[0];
    },
    async listMessages({ sessionId, after, limit }) {
      const parameters = [sessionId, after, limit];
      return messageRows(await sql.unsafe<StoredMessage[]>(LIST, parameters, { prepare }));
    },
    async listHeads(sessionIds) {
      interface Head {
        sessionId: string;
        lastAt: string;
      }
      const rows = await sql.unsafe<Head[]>(HEADS, [sessionIds], { prepare });
      return rows.map((head) => ({ ...head, lastAt: isoFromText(head.lastAt) }));
    },
  };
}

async function appendMessages(sql: Sql, batch: readonly NewMessageRow[]) {
  const events = batch.map((message) => ({
    s: message.sessionId,
    i: message.id,
    r: Math.floor(message.receivedAt),
    o: message.role,
    t: message.status,
    k: message.kind,
    c: message.content,
    m: message.metadata,
    v: message.intervalId,
  }));
  interface Counts {
    sessions: number;
    stored: number;
  }
  const [counts] = await sql.unsafe<Counts[]>(APPEND, [JSON.stringify(events)], { prepare: true });
  return counts ?? { sessions: 0, stored: 0 };
}

/** `first` is the first of `rows`. */
function latestOf(
  first: Latest,
  rows: readonly Latest[],
  since: string,
  limit: number,
): Omit<LatestMessageRows, 'memberRole'> {
  const lastAt = isoFromText(first.lastAt);
  const read = rows.slice(0, limit);
  const last = read.at(-1);
  if (last && last.id !== null) {
    const nextSince = isoFromText(last.seenAt);
    return { messages: messageRows(read), nextSince, hasMore: rows.length > limit, lastAt };
  }
  // One snapshot, so nothing lies between: a client whose clock is fast misses nothing later.
  return { messages: [], nextSince: lastAt < since ? lastAt : since, hasMore: false, lastAt };
}

/** A row as it comes: times in PostgreSQL's text; an id of null when the session is there and has no such message. */
type StoredMessage =
  | { readonly id: null }
  | (Omit<MessageRow, 'timestamp'> & { readonly at: string });
type Paged = StoredMessage & { readonly memberRole: MemberRole; readonly isCursorKnown: boolean };
type Latest = StoredMessage & { readonly lastAt: string; readonly seenAt: string };

function messageRows(stored: readonly StoredMessage[]): MessageRow[] {
  return stored.flatMap((row) =>
    row.id === null
      ? []
      : {
          id: row.id,
          timestamp: isoFromText(row.at),
          createdAt: isoFromText(row.createdAt),
          role: row.role,
          status: row.status,
          content: row.content,
          metadata: row.metadata,
        },
  );
}
