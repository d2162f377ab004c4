import { signUp } from '../demo/sign-up.ts';
import type { DrillStack } from './drill-stack.ts';
import { runSql } from './sql.ts';

/** Nothing listens there, and nothing is sent. */
const RECEIVER = 'http://127.0.0.1:9/';

export async function refuseClaims(stack: DrillStack): Promise<AsyncDisposable> {
  const { client } = await signUp(stack.apiUrl, 'Drill', stack.stop);
  const { id: projectId } = await client.projects.create({ name: 'Drill' });
  const { id } = await client.webhooks.create(projectId, { url: RECEIVER });
  await using parts = new AsyncDisposableStack();
  parts.defer(async () => {
    await client.webhooks.delete(id);
    await runSql(stack, 'alter table follower_positions drop constraint if exists drill');
  });
  const check = `follower_id <> '${id}' or claim = 0`;
  await runSql(
    stack,
    `alter table follower_positions add constraint drill check (${check}) not valid`,
  );
  await client.sessions.create(projectId, { name: 'Drill' });
  return parts.move();
}
