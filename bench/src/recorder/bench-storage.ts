import { prepareMessageQueries } from '@session/db';
import { v7 as uuidv7 } from 'uuid';
import { markdownTable } from '../measure/table.ts';
import type { RecorderOptions } from './recorder-options.ts';
import type { Testbed } from './testbed.ts';

const MESSAGES = 100_000;
const SESSIONS = 100;
/** As many as one flush stores together at some hundred messages per second. */
const BATCH = 10;
const SECONDS_OF_YEAR = 365 * 86_400;
const PROSE =
  'So the next thing that I would like to know is whether we can move the delivery to Thursday, because on Friday nobody is in the office who could sign for it. Let me look at that for you. There are two slots left on Thursday morning, one at nine and one at half past ten; both need somebody at the door.';
/** The shortest and the longest texts: a sentence, and an answer of some. */
const LENGTHS = [20, 280] as const;

/** Measures what a stored message takes on the disk, in sessions that go on at the same time. */
export async function benchStorage(
  testbed: Testbed,
  { progress, stop }: RecorderOptions,
): Promise<string> {
  return await progress.during(`Storage: ${MESSAGES} messages`, async () => {
    const sessions = await testbed.openSessions(SESSIONS);
    const queries = prepareMessageQueries(testbed);
    const from = await readWalBytes(testbed);
    let textBytes = 0;
    for (let first = 0; first < MESSAGES; first += BATCH) {
      stop.throwIfAborted();
      const batch = Array.from({ length: BATCH }, (_, index) => messageOf(first + index, sessions));
      for (const { content } of batch) textBytes += Buffer.byteLength(content);
      await queries.appendMessages(batch);
    }
    const walBytes = (await readWalBytes(testbed)) - from;
    const { table, indexes, count } = await readSizes(testbed);
    if (count !== MESSAGES) throw new Error(`${count} of ${MESSAGES} messages are stored`);
    const each = (table + indexes) / MESSAGES;
    const cells = [textBytes, table, indexes, table + indexes, walBytes].map(
      (bytes) => `${(bytes / MESSAGES).toFixed(0)} bytes`,
    );
    const yearly = `${((each * SECONDS_OF_YEAR) / 1e9).toFixed(0)} GB`;
    return markdownTable(
      ['text', 'table', 'indexes', 'on the disk', 'WAL', 'a year at one per second'],
      [[...cells, yearly]],
    );
  });
}

/** Returns a message as the recorder stores it: what a user typed, or what an agent said. */
function messageOf(index: number, sessions: readonly string[]) {
  const sessionIndex = index % sessions.length;
  // Neighbours in one session differ in everything that varies.
  const turn = Math.floor(index / sessions.length);
  const isAgent = turn % 2 === 1;
  const id = uuidv7();
  const [shortest, longest] = LENGTHS;
  const length = shortest + ((turn * 7919 + sessionIndex * 31) % (longest - shortest));
  const participant = {
    identity: `${isAgent ? 'agent' : 'user'}-${sessions[sessionIndex]}`,
    name: isAgent ? 'Assistant' : 'Ana',
    sid: `PA_${id.slice(-12)}`,
    kind: isAgent ? 'agent' : 'standard',
  };
  const kind = isAgent ? 'transcript' : 'text';
  return {
    id,
    sessionId: sessions[sessionIndex] ?? '',
    role: isAgent ? ('assistant' as const) : ('user' as const),
    status: 'complete' as const,
    kind,
    content: PROSE.slice(0, length),
    metadata: { kind, participant, source: 'lk.chat', rawId: id },
    receivedAt: Date.now(),
  };
}

async function readWalBytes({ sql }: Testbed): Promise<number> {
  const [row] = await sql<{ bytes: number }[]>`
    select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes`;
  return row?.bytes ?? Number.NaN;
}

async function readSizes({ sql }: Testbed) {
  const [row] = await sql<{ table: number; indexes: number; count: number }[]>`
    select
      pg_table_size('messages')::float8 as table,
      pg_indexes_size('messages')::float8 as indexes,
      (select count(*)::int from messages) as count`;
  if (!row) throw new Error('sizes have one row');
  return row;
}
