import { pause, StartError } from '@session/kit';
import { signUp } from '../demo/sign-up.ts';
import type { DrillStack } from './drill-stack.ts';
import { runSql } from './sql.ts';

/** Nothing listens there. */
const RECEIVER = 'http://127.0.0.1:9/';
const POLL_MS = 200;
const POLLS = 150;

export async function giveUp(stack: DrillStack): Promise<AsyncDisposable> {
  const { client } = await signUp(stack.apiUrl, 'Drill', stack.stop);
  const { id: projectId } = await client.projects.create({ name: 'Drill' });
  const { id } = await client.webhooks.create(projectId, { url: RECEIVER });
  await using parts = new AsyncDisposableStack();
  parts.defer(async () => {
    await client.webhooks.delete(id);
  });
  await client.sessions.create(projectId, { name: 'Drill' });
  for (let polls = 0; polls < POLLS; polls += 1) {
    const { status } = await client.webhooks.get(id);
    if (status === 'dead') return parts.move();
    await runSql(
      stack,
      `update follower_positions set failing_since = now() - interval '4 days', next_attempt_at = now()
      where follower_id = '${id}' and failure is not null and dead_at is null`,
    );
    if (!(await pause(POLL_MS, stack.stop))) break;
  }
  throw new StartError(
    'The API has not given up sending a session to the webhook: check the log of the API.',
  );
}
