import postgres from 'postgres';
import type { DrillStack } from './drill-stack.ts';

export async function runSql(stack: DrillStack, statement: string): Promise<void> {
  await selectRows(stack.databaseUrl, statement);
}

export async function selectRows(
  databaseUrl: string,
  statement: string,
): Promise<readonly object[]> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}

/** Leaves a transaction open that holds the locks of `statement`. Disposal ends it. */
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
