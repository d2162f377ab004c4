import { pause } from '@session/kit';
import { type JoinedRoom, joinRoom, userToken } from '@session/media';
import type { RecorderKind, Testbed } from './testbed.ts';

const POLL_MS = 5;
const TIMEOUT_MS = 5000;

export class Senders implements AsyncDisposable {
  readonly #rooms: readonly JoinedRoom[];
  #count = 0;

  private constructor(rooms: readonly JoinedRoom[]) {
    this.#rooms = rooms;
  }

  static async join({ servers }: Testbed, sessions: readonly string[]): Promise<Senders> {
    const { url } = servers.media;
    const rooms: JoinedRoom[] = [];
    for (const room of sessions) {
      const user = { room, userId: 'bench', name: 'Bench' };
      const { token } = await userToken(servers.media, user);
      rooms.push(await joinRoom({ url, token }));
    }
    return new Senders(rooms);
  }

  /** Sends `perSecond` messages per second, to the rooms in turn. Returns, by content, when each message was sent. */
  async send(perSecond: number, durationMs: number): Promise<Map<string, number>> {
    const sent = new Map<string, number>();
    const began = performance.now();
    const sending: Promise<unknown>[] = [];
    while (performance.now() - began < durationMs) {
      this.#count += 1;
      const content = `sentence ${this.#count}`;
      sent.set(content, performance.now());
      const room = this.#rooms[this.#count % this.#rooms.length];
      if (room) sending.push(room.say(content));
      const waitMs = began + (sent.size * 1000) / perSecond - performance.now();
      if (waitMs > 1) await pause(waitMs, new AbortController().signal);
    }
    await Promise.all(sending);
    return sent;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#rooms.map((room) => room.leave()));
  }
}

export class Reader implements AsyncDisposable {
  readonly #ending = new AbortController();
  readonly #seen = new Map<string, number>();
  readonly #running: Promise<void>;

  constructor(testbed: Testbed, kind: RecorderKind) {
    this.#running = this.#run(testbed, kind);
  }

  /** Returns how many milliseconds after its sending each message could be read. Leaves out messages that never could. */
  async lags(sent: ReadonlyMap<string, number>): Promise<number[]> {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    while ([...sent.keys()].some((content) => !this.#seen.has(content))) {
      if (!(await pause(POLL_MS, timeout))) break;
    }
    return [...sent].flatMap(([content, at]) => (this.#seen.get(content) ?? Number.NaN) - at || []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #run({ sql }: Testbed, kind: RecorderKind): Promise<void> {
    let position = '0';
    while (!this.#ending.signal.aborted) {
      const rows = await sql.unsafe<{ content: string; position: string }[]>(
        NEWER[kind],
        [position],
        {
          prepare: true,
        },
      );
      for (const { content } of rows) {
        if (!this.#seen.has(content)) this.#seen.set(content, performance.now());
      }
      position = rows.at(-1)?.position ?? position;
      await pause(POLL_MS, this.#ending.signal);
    }
  }
}

/** The rows after a position and a little before it: rows of concurrent transactions do not become visible in order. */
const NEWER_MESSAGES = `
    select content, (extract(epoch from "timestamp") * 1000)::bigint::text as position from messages
    where "timestamp" > to_timestamp(($1::bigint - 200) / 1000.0) and kind = 'text' order by "timestamp"`;
const NEWER: Record<RecorderKind, string> = {
  ours: NEWER_MESSAGES,
  former: NEWER_MESSAGES,
  plain:
    'select content, seq::text as position from plain_messages where seq > $1::bigint - 100 order by seq',
};
