import { pause } from '@session/kit';
import { signUp } from '../demo/sign-up.ts';
import type { DrillStack } from './drill-stack.ts';
import { holdLocks } from './sql.ts';

const BETWEEN_REQUESTS_MS = 500;

export async function lockTable(stack: DrillStack): Promise<AsyncDisposable> {
  const { client } = await signUp(stack.apiUrl, 'Drill', stack.stop);
  const { id } = await client.projects.create({ name: 'Drill' });
  await using parts = new AsyncDisposableStack();
  const end = new AbortController();
  const requests = (async () => {
    while (await pause(BETWEEN_REQUESTS_MS, end.signal))
      await client.envTemplates
        .list(id)
        .toArray({ limit: 1 })
        .catch(() => {});
  })();
  parts.defer(async () => {
    end.abort();
    await requests;
  });
  parts.use(await holdLocks(stack, 'lock table env_templates in access exclusive mode'));
  return parts.move();
}
