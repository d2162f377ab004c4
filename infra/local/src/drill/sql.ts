import postgres from 'postgres';
import type { DrillStack } from './drill-stack.ts';

/** Runs one statement. */
export async function runSql({ databaseUrl }: DrillStack, statement: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(statement);
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
  await sql.unsafe(`begin; ${statement}`);
  return { [Symbol.asyncDispose]: () => sql.end({ timeout: 1 }) };
}
