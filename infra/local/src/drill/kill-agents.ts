import { StartError } from '@session/kit';
import type { DrillStack } from './drill-stack.ts';
import { childrenOf } from './freeze.ts';
import { openRoom } from './room.ts';

/** More than the alert tolerates. */
const AGENTS = 7;

/** Starts agents, and kills all of them. They are started again by themselves; disposal closes their sessions. */
export async function killAgents(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  for (let count = 0; count < AGENTS; count += 1) {
    const { session } = parts.use(await openRoom(stack));
    await session.startAgent({ role: 'echo-agent', config: { restart: 'on-failure' } });
  }
  const { api } = await stack.pids();
  if (api === undefined) throw new StartError('The API does not run.');
  for (const pid of await childrenOf(api)) process.kill(pid, 'SIGKILL');
  return parts.move();
}

/** Starts agents that cannot reach LiveKit. Disposal closes their sessions. */
export async function startUnreachableAgents(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const rooms = [await openRoom(stack), await openRoom(stack), await openRoom(stack)];
  for (const room of rooms) parts.use(room);
  const starts = rooms.map(({ session }) => session.startAgent({ role: 'echo-agent' }));
  await Promise.allSettled(starts);
  return parts.move();
}
