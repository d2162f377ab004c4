import { pause } from '@session/kit';
import { type JoinedRoom, joinRoom, userToken } from '@session/media';
import type { Ground, Kind } from './ground.ts';

const LOOK_MS = 5;
/** Longer than the last message takes to be stored. */
const PATIENCE_MS = 5000;

/** One person in each of some rooms. */
export class Talkers implements AsyncDisposable {
  readonly #rooms: readonly JoinedRoom[];
  #count = 0;

  private constructor(rooms: readonly JoinedRoom[]) {
    this.#rooms = rooms;
  }

  static async join({ parts }: Ground, sessions: readonly string[]): Promise<Talkers> {
    const { url } = parts.media;
    const rooms: JoinedRoom[] = [];
    for (const room of sessions) {
      const user = { room, userId: 'bench', name: 'Bench' };
      const { token } = await userToken(parts.media, user);
      rooms.push(await joinRoom({ url, token }));
    }
    return new Talkers(rooms);
  }

  /** Says so much a second, in one room after another; gives when each was said, by its words. */
  async talk(perSecond: number, durationMs: number): Promise<Map<string, number>> {
    const said = new Map<string, number>();
    const began = performance.now();
    const sending: Promise<unknown>[] = [];
    while (performance.now() - began < durationMs) {
      this.#count += 1;
      const words = `sentence ${this.#count}`;
      said.set(words, performance.now());
      const room = this.#rooms[this.#count % this.#rooms.length];
      if (room) sending.push(room.say(words));
      const waitMs = began + (said.size * 1000) / perSecond - performance.now();
      if (waitMs > 1) await pause(waitMs, new AbortController().signal);
    }
    await Promise.all(sending);
    return said;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#rooms.map((room) => room.leave()));
  }
}

/** Looks again and again what can be read, as a client would, until `said` is all there or no more comes. */
export class Reader implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #seen = new Map<string, number>();
  readonly #running: Promise<void>;

  constructor(ground: Ground, kind: Kind) {
    this.#running = this.#run(ground, kind);
  }

  /** Gives how long after it was said each could be read, in milliseconds; those that never could are missing. */
  async lags(said: ReadonlyMap<string, number>): Promise<number[]> {
    const patience = AbortSignal.timeout(PATIENCE_MS);
    while ([...said.keys()].some((words) => !this.#seen.has(words))) {
      if (!(await pause(LOOK_MS, patience))) break;
    }
    return [...said].flatMap(([words, at]) => (this.#seen.get(words) ?? Number.NaN) - at || []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run({ sql }: Ground, kind: Kind): Promise<void> {
    let place = '0';
    while (!this.#ending.signal.aborted) {
      const rows = await sql.unsafe<{ content: string; place: string }[]>(NEWER[kind], [place], {
        prepare: true,
      });
      for (const { content } of rows) {
        if (!this.#seen.has(content)) this.#seen.set(content, performance.now());
      }
      place = rows.at(-1)?.place ?? place;
      await pause(LOOK_MS, this.#ending.signal);
    }
  }
}

/** What came after a place, and a little before it: rows of several transactions do not appear in their order. */
const NEWER: Record<Kind, string> = {
  ours: `
    select content, (extract(epoch from "timestamp") * 1000)::bigint::text as place from messages
    where "timestamp" > to_timestamp(($1::bigint - 200) / 1000.0) and kind = 'text' order by "timestamp"`,
  plain:
    'select content, seq::text as place from plain_messages where seq > $1::bigint - 100 order by seq',
};
