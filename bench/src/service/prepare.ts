import type { Client } from '@session/client';
import { pause, StartError } from '@session/kit';
import type { StackFile } from '@session/local';
import { openSessions } from '../chaos/chaos-client.ts';
import { Crowd } from './crowd.ts';
import type { ServiceOptions } from './service-options.ts';

const POLL_MS = 250;
const TIMEOUT_MS = 300_000;

export interface PreparedRooms {
  readonly client: Client;
  readonly sessionIds: readonly string[];
  readonly crowd: Crowd;
}

/** Throws a StartError when a session is not recorded in time, and when `stop` aborts. */
export async function prepareRooms(
  { apiUrl, mediaUrl }: StackFile,
  options: ServiceOptions,
  parts: AsyncDisposableStack,
): Promise<PreparedRooms> {
  const { rooms, agents, progress, stop } = options;
  const { client, ids, token } = await progress.during(`Creating ${rooms} sessions`, () =>
    openSessions([apiUrl], rooms, stop),
  );
  await progress.during('Waiting until all sessions are recorded', async (note) => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    for (const [index, id] of ids.entries()) {
      note(`${index} of ${rooms}`);
      await untilRecorded(client, id, AbortSignal.any([stop, timeout]));
    }
  });
  await progress.during(`Starting ${agents} agents`, async (note) => {
    for (const [index, id] of ids.slice(0, agents).entries()) {
      note(`${index} of ${agents}`);
      const signal = AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]);
      const agent = await client.agents.start(id, { role: 'echo-agent' }, { signal });
      await client.agents.untilRunning(agent.id, { signal });
    }
  });
  const crowd = parts.use(await Crowd.start(rooms, { apiUrl, mediaUrl, token }));
  await progress.during(`${rooms} people join their rooms`, async (note) => {
    let count = 0;
    const joined = () => {
      count += 1;
      note(`${count} of ${rooms}`);
    };
    const sessions = ids.map((id, index) => ({ id, hasAgent: index < agents }));
    await crowd.join(sessions, joined, stop);
  });
  return { client, sessionIds: ids, crowd };
}

async function untilRecorded(client: Client, id: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { recording } = await client.sessions.get(id, { signal });
    if (recording.status === 'recording') return;
    if (!(await pause(POLL_MS, signal))) {
      throw new StartError(`Session ${id} is not recorded: check the logs of the recorders.`);
    }
  }
}
