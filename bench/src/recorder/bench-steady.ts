import { pause } from '@session/kit';
import { openRoomService } from '@session/media';
import { v7 as uuidv7 } from 'uuid';
import type { Usage } from '../measure/program.ts';
import { markdownTable } from '../measure/table.ts';
import type { Ground } from './ground.ts';
import type { RecorderOptions } from './recorder-options.ts';
import { Talkers } from './talkers.ts';

const ROOMS = 50;
const PER_SECOND = 10;
const LOOK_MS = 30_000;
/** Each room every 100 s: for one that is lost more often than every minute, the recorder counts its attempts. */
const BREAK_EVERY_MS = 2000;
/** So little that it is exceeded within the time: each connection leaves 0.22 MB behind. */
const RECORDER_MAX_RSS_MB = '280';
const ROWS = 6;

interface Sample extends Usage {
  readonly breaks: number;
  readonly starts: number;
}

/**
 * Measures what a recorder takes in the course of time, while people talk and its connections break one after another. It
 * is started again when it has ended because of its memory.
 */
export async function benchSteady(
  ground: Ground,
  { minutes, progress, stop }: RecorderOptions,
): Promise<string> {
  return await progress.during(`Steady: ${ROOMS} rooms, ${minutes} minutes`, async () => {
    const sessions = await ground.openSessions(ROOMS);
    const folder = uuidv7();
    const start = () => ground.startRecorder('ours', sessions, folder, { RECORDER_MAX_RSS_MB });
    let recorder = await start();
    let starts = 1;
    await using stack = new AsyncDisposableStack();
    stack.defer(() => recorder[Symbol.asyncDispose]());
    const talkers = stack.use(await Talkers.join(ground, sessions));
    const breaker = stack.use(new Breaker(ground, sessions));
    const samples: Sample[] = [];
    for (let look = 0; look < (minutes * 60_000) / LOOK_MS && !stop.aborted; look += 1) {
      await talkers.talk(PER_SECOND, LOOK_MS);
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

/** Has the server send the recorder out of one room after another: each time it comes back with a new connection. */
class Breaker implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #running: Promise<void>;
  #count = 0;

  constructor(ground: Ground, sessions: readonly string[]) {
    this.#running = this.#run(ground, sessions);
  }

  /** How many connections it has broken. */
  get count(): number {
    return this.#count;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run({ parts }: Ground, sessions: readonly string[]): Promise<void> {
    const rooms = openRoomService(parts.media);
    for (let turn = 0; await pause(BREAK_EVERY_MS, this.#ending.signal); turn += 1) {
      const room = sessions[turn % sessions.length] ?? '';
      // A server that is too busy to answer is asked about the next room.
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
  return (looks * LOOK_MS) / 60_000;
}

function range(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
}
