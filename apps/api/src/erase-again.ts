import { readFile } from 'node:fs/promises';
import { Id, NewErasure } from '@session/contract';
import * as db from '@session/db';
import { databaseUrl, loadEnvFile, readEnv, runMain, StartError } from '@session/kit';
import * as z from 'zod';
import { carryOutErasures } from './background/erasures/carry-out-erasures.ts';

const SHOWN_FAULTS = 10;
const AT_ONCE = 1000;
const LIMIT_MS = 600_000;

const Receipt = z.object({
  id: Id,
  projectId: Id,
  scope: NewErasure.refine(({ participantId }) => participantId === undefined, {
    error: 'names a participantId: a receipt has the userId or the identity',
  }),
  requestedBy: Id,
  requestedAt: z.iso
    .datetime({ offset: true })
    .refine((time) => Date.parse(time) <= Date.now(), { error: 'is in the future' }),
});
const Page = z.object({ items: z.array(Receipt) }).transform(({ items }) => items);

// Repeats the erasures that a database lacks because it was restored to an earlier time.
await runMain(async () => {
  loadEnvFile();
  const [file] = process.argv.slice(2);
  if (file === undefined) {
    throw new StartError(
      'Name the file with the receipts, one receipt per line, for example: erasures.jsonl',
    );
  }
  const { DATABASE_URL } = readEnv(z.object({ DATABASE_URL: databaseUrl() }), process.env);
  const erasures = receiptsIn(await textOf(file));
  const settings = { applicationName: 'erase-again', connections: 2, statementTimeoutMs: LIMIT_MS };
  await using database = db.openDatabase(DATABASE_URL, settings);
  const outcomes = { inserted: 0, known: 0, no_project: 0 };
  for (const erasure of erasures) outcomes[await db.insertErasureAgain(database, erasure)] += 1;
  print(
    `${erasures.length} receipts · repeated ${outcomes.inserted} · known already ${outcomes.known} · of projects that are gone ${outcomes.no_project}`,
  );
  const ids = erasures.map(({ id }) => id);
  await using storedNotifier = new db.StoredNotifier(database);
  // Does not count erasures of whole sessions, which end when the APIs have deleted the sessions.
  let left = await db.countErasedAgain(database, ids);
  while (left.running > 0) {
    await carryOutErasures({ database, storedNotifier }, { atOnce: AT_ONCE });
    left = await db.countErasedAgain(database, ids);
    print(`erasures under way ${left.running} · messages erased ${left.messages}`);
  }
  print('The words are gone from the database. The APIs delete the erased sessions.');
});

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new StartError(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

/**
 * Returns the erasures whose receipts the lines contain, each line one receipt or a page of them. Throws a StartError that
 * names up to `SHOWN_FAULTS` faulty lines.
 */
function receiptsIn(text: string): db.EarlierErasure[] {
  const faults: string[] = [];
  const receipts = text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const read = Page.or(Receipt.transform((receipt) => [receipt])).safeParse(jsonOf(line));
    if (read.success) return read.data;
    faults.push(`line ${index + 1}: ${faultOf(jsonOf(line))}`);
    return [];
  });
  if (faults.length > 0) {
    const more = faults.length > SHOWN_FAULTS ? [`and ${faults.length - SHOWN_FAULTS} more`] : [];
    throw new StartError(
      [
        'Nothing was erased. Correct these lines, then start again:',
        ...faults.slice(0, SHOWN_FAULTS),
        ...more,
      ].join('\n'),
    );
  }
  return receipts.map(({ scope, ...receipt }) => ({
    ...receipt,
    sessionId: scope.sessionId ?? null,
    messageIds: scope.messageIds ?? null,
    identity: scope.identity ?? null,
    userId: scope.userId ?? null,
  }));
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function faultOf(value: unknown): string {
  if (value === undefined) return 'this is not JSON';
  const isPage = typeof value === 'object' && value !== null && 'items' in value;
  const issue = (isPage ? Page : Receipt).safeParse(value).error?.issues[0];
  return issue ? `${issue.path.join('.')}: ${issue.message}` : 'this is not a receipt';
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
