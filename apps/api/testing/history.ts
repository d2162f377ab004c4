import * as db from '@session/db';
import { type NewMessageRow, openDatabase } from '@session/db';
import { createTestDatabase } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { startTestApi, type TestApi, type TestUser } from './api.ts';

/** Earlier than any message. */
export const START = '2000-01-01T00:00:00.000Z';

export interface ReadMessage {
  readonly id: string;
  readonly status: NewMessageRow['status'];
  readonly content: string;
  readonly timestamp: string;
}

interface Answers {
  readonly messages: { readonly items: ReadMessage[]; readonly nextCursor: string | null };
  readonly 'messages/latest': {
    readonly items: ReadMessage[];
    readonly nextSince: string;
    readonly hasMore: boolean;
  };
}

export interface TestHistory extends AsyncDisposable {
  readonly api: TestApi;
  readonly ana: TestUser;
  /** Reads a session as `ana`, over a connection to the listening API, and returns the answer. Throws unless it is 200. */
  read<Path extends keyof Answers>(
    this: void,
    sessionId: string,
    path: Path,
    query: Record<string, string | number>,
  ): Promise<Answers[Path]>;
  /** Stores messages as a recorder does: over connections of its own. */
  append(this: void, batch: readonly NewMessageRow[]): Promise<unknown>;
}

/** Starts a listening API and a writer beside it: for tests of what readers see. */
export async function startTestHistory(): Promise<TestHistory> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const writer = stack.use(openDatabase(database.url, { connections: 4 }));
  const api = stack.use(await startTestApi(database.url));
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const ana = await api.createUser();
  const headers = { authorization: `Bearer ${ana.token}` };
  const owned = stack.move();
  return {
    api,
    ana,
    async read(sessionId, path, query) {
      const parameters = Object.entries(query).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]);
      const search = new URLSearchParams(parameters);
      const answer = await fetch(`${address}/sessions/${sessionId}/${path}?${search.toString()}`, {
        headers,
      });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return JSON.parse(await answer.text());
    },
    append: (batch) => db.appendMessages(writer, batch),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Returns a message of an agent, with the fields of `part`. */
export function spoken(sessionId: string, part: Partial<NewMessageRow> = {}): NewMessageRow {
  const metadata = { participant: { identity: 'agent-1' } };
  const said = { role: 'assistant', kind: 'transcript', content: 'hello', metadata } as const;
  return { sessionId, id: uuidv7(), receivedAt: Date.now(), status: null, ...said, ...part };
}

/**
 * Follows a session by `since` as a client does, with one request at a time. Ends with the message `last`, or with an empty
 * answer after `isOver` became true: then no more messages can come. Returns all messages that came.
 */
export async function follow(
  { read }: Pick<TestHistory, 'read'>,
  sessionId: string,
  query: { limit: number; wait: number },
  end: { readonly last: string; readonly isOver: boolean },
): Promise<ReadMessage[]> {
  const seen: ReadMessage[] = [];
  let since = START;
  for (;;) {
    const wasOver = end.isOver;
    const { items, nextSince } = await read(sessionId, 'messages/latest', { ...query, since });
    seen.push(...items);
    since = nextSince;
    if (items.some(({ id }) => id === end.last) || (wasOver && items.length === 0)) return seen;
  }
}

/** Reads the history by `cursor`, from the newest message at this moment back to the first, and returns all messages. */
export async function pageBack(
  { read }: Pick<TestHistory, 'read'>,
  sessionId: string,
  limit: number,
): Promise<ReadMessage[]> {
  const seen: ReadMessage[] = [];
  let cursor: string | null = null;
  do {
    const query: Record<string, string | number> = cursor === null ? { limit } : { limit, cursor };
    const page = await read(sessionId, 'messages', query);
    seen.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return seen;
}
