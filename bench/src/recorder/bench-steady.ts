import { pause } from '@session/kit';
import { openRoomService } from '@session/media';
import type { Usage } from '../measure/program.ts';
import { median } from '../measure/statistics.ts';
import { markdownTable } from '../measure/table.ts';
import type { Ground } from './ground.ts';
import type { RecorderOptions } from './recorder-options.ts';
import { Talkers } from './talkers.ts';

const ROOMS = 50;
const PER_SECOND = 10;
const LOOK_MS = 30_000;
/** Each room every 100 s: for one that is lost more often than every minute, the recorder counts its attempts. */
const BREAK_EVERY_MS = 2000;
const ROWS = 6;

interface Sample extends Usage {
  readonly breaks: number;
}

/** Measures what a recorder takes in the course of time, while people talk and its connections break one after another. */
export async function benchSteady(
  ground: Ground,
  { minutes, progress, stop }: RecorderOptions,
): Promise<string> {
  return await progress.during(`Steady: ${ROOMS} rooms, ${minutes} minutes`, async () => {
    const sessions = await ground.openSessions(ROOMS);
    await using recorder = await ground.startRecorder('ours', sessions);
    await using talkers = await Talkers.join(ground, sessions);
    await using breaker = new Breaker(ground, sessions);
    const samples: Sample[] = [];
    for (let look = 0; look < (minutes * 60_000) / LOOK_MS && !stop.aborted; look += 1) {
      await talkers.talk(PER_SECOND, LOOK_MS);
      samples.push({ ...(await recorder.usage()), breaks: breaker.count });
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

/** The first of the rows is the time in which it becomes warm. */
function report(samples: readonly Sample[]): string {
  const size = Math.ceil(samples.length / ROWS);
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const part = samples.slice(row * size, (row + 1) * size);
    const [before, last] = [samples[row * size - 1], part.at(-1)];
    const cpuMs = (last?.cpuMs ?? 0) - (before?.cpuMs ?? 0);
    return [
      `${minutesOf(row * size)} to ${minutesOf(row * size + part.length)}`,
      range(part.map(({ rssMb }) => rssMb)),
      range(part.map(({ files }) => files)),
      `${((cpuMs / (part.length * LOOK_MS)) * 100).toFixed(0)} %`,
      String(last?.breaks),
    ];
  });
  const head = ['minutes', 'memory, MB', 'open files', 'of a core', 'connections broken'];
  const warm = samples.slice(size);
  const of = (key: 'rssMb' | 'files') => spread(warm.map((sample) => sample[key]));
  return `${markdownTable(head, rows)}\n\nFrom the second row on: memory ${of('rssMb')}, open files ${of('files')}.`;
}

function minutesOf(looks: number): number {
  return (looks * LOOK_MS) / 60_000;
}

function range(values: readonly number[]): string {
  return `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)}`;
}

/** How far the least and the greatest are from the median. */
function spread(values: readonly number[]): string {
  const middle = median(values);
  const [least, most] = [Math.min(...values), Math.max(...values)].map(
    (value) => `${((value / middle - 1) * 100).toFixed(1)} %`,
  );
  return `${range(values)} (${least} to +${most} of the median)`;
}
