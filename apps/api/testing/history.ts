import { type NewMessageRow, openDatabase, prepareMessageQueries } from '@session/db';
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
  /** Gives the answer for `ana` to a read of a session, over a connection to the listening API; throws on a failure. */
  read<Path extends keyof Answers>(
    this: void,
    sessionId: string,
    path: Path,
    query: Record<string, string | number>,
  ): Promise<Answers[Path]>;
  /** Stores messages as a recorder does: over connections that the API knows nothing of. */
  append(this: void, batch: readonly NewMessageRow[]): Promise<unknown>;
}

/** Gives a listening API and one who writes beside it: for tests of what readers see. */
export async function startTestHistory(): Promise<TestHistory> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const writer = stack.use(openDatabase(database.url, { connections: 4 }));
  const api = stack.use(await startTestApi(database.url));
  const address = await api.app.listen({ port: 0, host: '127.0.0.1' });
  const ana = await api.createUser();
  const headers = { authorization: `Bearer ${ana.token}` };
  const written = prepareMessageQueries(writer);
  const owned = stack.move();
  return {
    api,
    ana,
    async read(sessionId, path, query) {
      const parameters = Object.entries(query).map(([name, value]) => [name, String(value)]);
      const search = new URLSearchParams(parameters);
      const answer = await fetch(`${address}/sessions/${sessionId}/${path}?${search}`, { headers });
      if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
      return JSON.parse(await answer.text());
    },
    append: (batch) => written.appendMessages(batch),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Gives a message that an agent said, to be varied. */
export function spoken(sessionId: string, part: Partial<NewMessageRow> = {}): NewMessageRow {
  const said = { role: 'assistant', kind: 'transcript', content: 'hello', metadata: null } as const;
  return { sessionId, id: uuidv7(), receivedAt: Date.now(), status: null, ...said, ...part };
}

/**
 * Follows a session by `since` as a client does, never asking again before it is answered, until nothing more can come:
 * until the message `last`, or an empty answer after `isOver` became true. Gives all that came.
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

/** Gives the history from the newest message at this moment back to its beginning, read by `cursor`. */
export async function pageBack(
  { read }: Pick<TestHistory, 'read'>,
  sessionId: string,
  limit: number,
  betweenPages: () => Promise<unknown> = async () => {},
): Promise<ReadMessage[]> {
  const seen: ReadMessage[] = [];
  let cursor: string | null = null;
  do {
    if (cursor !== null) await betweenPages();
    const query: Record<string, string | number> = cursor === null ? { limit } : { limit, cursor };
    const page = await read(sessionId, 'messages', query);
    seen.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return seen;
}
