import postgres from 'postgres';
import type { DrillStack } from './drill-stack.ts';

/** Runs one statement. */
export async function runSql(stack: DrillStack, statement: string): Promise<void> {
  await selectRows(stack, statement);
}

/** Runs one statement, and returns its rows. */
export async function selectRows(
  { databaseUrl }: Pick<DrillStack, 'databaseUrl'>,
  statement: string,
): Promise<readonly object[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

/** Begins a transaction with `statement`, and leaves it open with its locks. Disposal ends it. */
export async function holdLocks(
  { databaseUrl }: DrillStack,
  statement: string,
): Promise<AsyncDisposable> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  await using parts = new AsyncDisposableStack();
  parts.defer(() => sql.end({ timeout: 1 }));
  await sql.unsafe(`begin; ${statement}`);
  return parts.move();
}
