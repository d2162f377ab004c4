import { pause } from '@session/kit';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import type { Usage } from '../measure/measured-program.ts';
import { markdownTable } from '../measure/table.ts';
import type { RecorderOptions } from './recorder-options.ts';
import { Senders } from './senders.ts';
import type { Testbed } from './testbed.ts';

const ROOMS = 50;
const PER_SECOND = 10;
const POLL_MS = 30_000;
/** Each of the 50 rooms every 100 s: below a minute, the recorder would count further attempts for the room. */
const BREAK_EVERY_MS = 2000;
/** So low that the recorder exceeds it during the run: each connection leaves 0.22 MB behind. */
const RECORDER_MAX_RSS_MB = '280';
const ROWS = 6;

interface Sample extends Usage {
  readonly breaks: number;
  readonly starts: number;
}

/**
 * Measures what a recorder uses over time, while users send messages and its connections break one after another. The
 * recorder is started again when it has ended because of its memory.
 */
export async function benchSteady(
  testbed: Testbed,
  { minutes, progress, stop }: RecorderOptions,
): Promise<string> {
  return await progress.during(`Steady: ${ROOMS} rooms, ${minutes} minutes`, async () => {
    const sessions = await testbed.openSessions(ROOMS);
    const folder = uuidv7();
    const start = () => testbed.startRecorder('ours', sessions, folder, { RECORDER_MAX_RSS_MB });
    let recorder = await start();
    let starts = 1;
    await using stack = new AsyncDisposableStack();
    stack.defer(() => recorder[Symbol.asyncDispose]());
    const senders = stack.use(await Senders.join(testbed, sessions));
    const breaker = stack.use(new Breaker(testbed, sessions));
    const samples: Sample[] = [];
    for (let look = 0; look < (minutes * 60_000) / POLL_MS && !stop.aborted; look += 1) {
      await senders.send(PER_SECOND, POLL_MS);
      if (recorder.hasEnded) {
        recorder = await start();
        starts += 1;
      }
      samples.push({ ...(await recorder.usage()), breaks: breaker.count, starts });
    }
    stop.throwIfAborted();
    return report(samples);
  });
}

/** Makes the server remove the recorder from one room after another: each time it comes back with a new connection. */
class Breaker implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #count = 0;

  constructor(testbed: Testbed, sessions: readonly string[]) {
    this.#running = this.#run(testbed, sessions);
  }

  /** The number of broken connections. */
  get count(): number {
    return this.#count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run({ servers }: Testbed, sessions: readonly string[]): Promise<void> {
    const rooms = openRoomService(servers.media);
    for (let turn = 0; await pause(BREAK_EVERY_MS, this.#ending.signal); turn += 1) {
      const room = sessions[turn % sessions.length] ?? '';
      // When the server is too busy to answer, the next room follows.
      const present = await rooms.listParticipants(room).catch(() => []);
      for (const { identity } of present.filter(({ isHidden }) => isHidden)) {
        await rooms.removeParticipant(room, identity).catch(() => {});
        this.#count += 1;
      }
    }
  }
}

function report(samples: readonly Sample[]): string {
  const size = Math.ceil(samples.length / ROWS);
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const part = samples.slice(row * size, (row + 1) * size);
    const last = part.at(-1);
    return [
      `${minutesOf(row * size)} to ${minutesOf(row * size + part.length)}`,
      range(part.map(({ rssMb }) => rssMb)),
      range(part.map(({ files }) => files)),
      String(last?.breaks),
      String(last?.starts),
    ];
  });
  return markdownTable(
    ['minutes', 'memory, MB', 'open files', 'connections broken', 'starts'],
    rows,
  );
}

function minutesOf(looks: number): number {
  return (looks * POLL_MS) / 60_000;
}

function range(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
}
