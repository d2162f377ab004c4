import { pause } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import { inS, markdownTable, median } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import { Senders } from './senders.ts';
import type { RecorderKind, Testbed } from './testbed.ts';

const ROOMS = 20;
const IDLE_ROOMS = 300;
const PER_SECOND = 20;
/** The media server updates the number of a room's participants up to 5 s late. */
const SETTLE_MS = 6000;
const TALK_MS = 5000;

/**
 * Measures how long after a kill -9 a process that restarts at once records all rooms, and the one of 301 rooms in which
 * somebody talks.
 */
export async function benchRecovery(testbed: Testbed, options: BenchOptions): Promise<string> {
  return `${await benchAllRooms(testbed, options)}\n\n${await benchBusyRoom(testbed, options)}`;
}

async function benchAllRooms(
  testbed: Testbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const times: Record<RecorderKind, number[]> = { ours: [], plain: [], former: [] };
  for (let round = 1; round <= rounds; round += 1) {
    for (const kind of testbed.kinds) {
      stop.throwIfAborted();
      await progress.during(`Recovery, round ${round} of ${rounds}, ${kind}`, async () => {
        const sessions = await testbed.openSessions(ROOMS);
        const folder = uuidv7();
        const killed = await testbed.startRecorder(kind, sessions, folder);
        const from = performance.now();
        await killed.kill();
        const again = await testbed.startRecorder(kind, sessions, folder);
        times[kind].push(performance.now() - from);
        await again.kill();
      });
    }
  }
  const rows = testbed.kinds.map((kind) => rowOf(kind, times[kind]));
  return markdownTable(['recorder', `${ROOMS} rooms recorded again after`, 'longest'], rows);
}

async function benchBusyRoom(
  testbed: Testbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const measured: Awaited<ReturnType<typeof measureBusyRoom>>[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stop.throwIfAborted();
    await progress.during(`Recovery of a busy room, round ${round} of ${rounds}`, async () => {
      measured.push(await measureBusyRoom(testbed, stop));
    });
  }
  const busy = measured.map(({ heardMs }) => heardMs);
  const all = measured.map(({ allMs }) => allMs);
  return markdownTable(
    [`${IDLE_ROOMS} idle rooms and a busy one`, 'again after', 'longest'],
    [rowOf('the busy room', busy), rowOf('all rooms', all)],
  );
}

function rowOf(name: string, times: readonly number[]): string[] {
  return [name, inS(median(times)), inS(Math.max(...times))];
}

async function measureBusyRoom(testbed: Testbed, stop: AbortSignal) {
  // The oldest session, so that no order but that of the participants and the messages puts it first.
  const sessions = await testbed.openSessions(IDLE_ROOMS + 1);
  const [busy = ''] = sessions;
  const folder = uuidv7();
  const killed = await testbed.startRecorder('ours', sessions, folder);
  await using senders = await Senders.join(testbed, [busy]);
  await senders.send(PER_SECOND, TALK_MS);
  await pause(SETTLE_MS, stop);
  const killedAt = performance.now();
  await killed.kill();
  const starting = testbed.startRecorder('ours', sessions, folder);
  const allRecordedAt = starting.then(() => performance.now());
  const heardAt = await firstStored(testbed, senders, busy, stop);
  const measured = { heardMs: heardAt - killedAt, allMs: (await allRecordedAt) - killedAt };
  await (await starting).kill();
  return measured;
}

/** Talks until a message is stored. Returns the time at which the first of the stored messages was sent. */
async function firstStored(
  { sql }: Testbed,
  senders: Senders,
  sessionId: string,
  stop: AbortSignal,
): Promise<number> {
  const sent = new Map<string, number>();
  for (;;) {
    stop.throwIfAborted();
    for (const [content, at] of await senders.send(PER_SECOND, TALK_MS)) sent.set(content, at);
    const stored = await sql<{ content: string }[]>`
      select content from messages where session_id = ${sessionId} and kind = 'text'`;
    const times = stored.flatMap(({ content }) => sent.get(content) ?? []);
    if (times.length > 0) return Math.min(...times);
  }
}
