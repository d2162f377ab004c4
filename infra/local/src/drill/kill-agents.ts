import { pause, StartError, sendSignal } from '@session/kit';
import { childrenOf } from '../supervision/process-family.ts';
import type { DrillStack } from './drill-stack.ts';
import { type DrillRoom, openRoom } from './room.ts';

const AGENTS = 6;
/** More restarts than the alert tolerates: two of each agent. */
const KILLS = 12;
const POLL_MS = 100;
const UNREACHABLE_AGENTS = 3;

export async function killAgents(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  for (let count = 0; count < AGENTS; count += 1) {
    const { session } = parts.use(await openRoom(stack));
    await session.startAgent({ role: 'echo-agent', config: { restart: 'on-failure' } });
  }
  const { api } = await stack.pids();
  if (api === undefined) throw new StartError('The API is not running: check the log of the API.');
  const killed = new Set<number>();
  do {
    const running = (await childrenOf(api)).filter((pid) => !killed.has(pid));
    for (const pid of running) {
      sendSignal(pid, 'SIGKILL');
      killed.add(pid);
    }
  } while (killed.size < KILLS && (await pause(POLL_MS, stack.stop)));
  return parts.move();
}

export async function startUnreachableAgents(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  const rooms: DrillRoom[] = [];
  for (let count = 0; count < UNREACHABLE_AGENTS; count += 1)
    rooms.push(parts.use(await openRoom(stack)));
  const starts = rooms.map(({ session }) => session.startAgent({ role: 'echo-agent' }));
  await Promise.allSettled(starts);
  return parts.move();
}
