import { pause } from '@session/kit';
import { v7 as uuidv7 } from 'uuid';
import type { BenchOptions } from '../measure/bench-options.ts';
import { median } from '../measure/statistics.ts';
import { inS, markdownTable } from '../measure/table.ts';
import { Senders } from './senders.ts';
import type { Testbed } from './testbed.ts';

const IDLE_ROOMS = 300;
const PER_SECOND = 20;
/** The media server updates the number of a room's participants up to 5 s late. */
const SETTLE_MS = 6000;
/** How long the participant talks before the stored messages are read. */
const TALK_MS = 5000;

interface Measured {
  readonly heardMs: number;
  readonly allMs: number;
}

/**
 * Measures how long after a kill -9 the recorder stores messages again from the one room of 301 in which a participant talks,
 * and how long until it records all rooms. The process is started again at once.
 */
export async function benchBusyRoom(
  testbed: Testbed,
  { rounds, progress, stop }: BenchOptions,
): Promise<string> {
  const measured: Measured[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stop.throwIfAborted();
    await progress.during(`Recovery of a busy room, round ${round} of ${rounds}`, async () => {
      measured.push(await measure(testbed, stop));
    });
  }
  const row = (name: string, key: keyof Measured) => {
    const times = measured.map((run) => run[key]);
    return [name, inS(median(times)), inS(Math.max(...times))];
  };
  return markdownTable(
    [`${IDLE_ROOMS} idle rooms and a busy one`, 'again after', 'longest'],
    [row('the busy room', 'heardMs'), row('all rooms', 'allMs')],
  );
}

async function measure(testbed: Testbed, stop: AbortSignal): Promise<Measured> {
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

/** Talks until a message is stored. Returns when the first of these was sent. */
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
