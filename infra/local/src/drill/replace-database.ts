import type { DrillStack } from './drill-stack.ts';
import { runSql } from './sql.ts';

export async function replaceDatabase(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  parts.defer(() => runSql(stack, 'delete from database_timelines where timeline = 0'));
  await runSql(stack, "insert into database_timelines values (0, 0, 'epoch')");
  return parts.move();
}
