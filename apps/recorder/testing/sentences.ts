import { pause } from '@session/kit';
import type { JoinedRoom } from '@session/media';
import type { TestStage } from './stage.ts';
import { until } from './stage.ts';

const EVERY_MS = 50;
const TOLERANCE_MS = 1000;

interface Sentence {
  readonly content: string;
  readonly saidAt: number;
}

/** Participants of a session who say numbered sentences until the talk stops, in whichever room they are. */
export class Sentences implements AsyncDisposable {
  readonly #stage: TestStage;
  readonly #sessionId: string;
  readonly #said: Sentence[] = [];
  readonly #counts = new Map<string, number>();
  readonly #stopping = new AbortController();
  readonly #talking: Promise<void>[] = [];

  constructor(stage: TestStage, sessionId: string) {
    this.#stage = stage;
    this.#sessionId = sessionId;
  }

  begin(room: JoinedRoom, name: string): string {
    this.#counts.set(name, 0);
    this.#talking.push(this.#talk(room, name));
    return `${name} `;
  }

  async untilStored(beginning: string): Promise<void> {
    await this.#stage.historyWith(this.#sessionId, ({ content }) => content.startsWith(beginning));
  }

  /** Resolves when more was said, for longer than a gap's bounds may be wrong. */
  async saysMore(): Promise<void> {
    const saidUntil = Date.now() + 2 * TOLERANCE_MS;
    await until(() => (this.#said.at(-1)?.saidAt ?? 0) > saidUntil);
  }

  /** Resolves when the history has a sentence of each participant that is said after this call. */
  async untilAllStored(): Promise<void> {
    const next = [...this.#counts].map(([name, count]) => [name, count + 2] as const);
    await until(async () => {
      const stored = (await this.#stage.history(this.#sessionId)).map(({ content }) => content);
      return next.every(([name, first]) =>
        stored.some((said) => said.startsWith(`${name} `) && Number(said.split(' ')[1]) >= first),
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#talking);
  }

  /** Returns the sentences that the history does not have, and that lie in no gap of the session. */
  async lost(): Promise<string[]> {
    const { left } = await this.#stage.gaps(this.#sessionId);
    const contents = new Set(
      (await this.#stage.history(this.#sessionId)).map(({ content }) => content),
    );
    return this.#said
      .filter(({ content, saidAt }) => !contents.has(content) && !left.some(excuses(saidAt)))
      .map(({ content }) => content);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #talk(room: JoinedRoom, name: string): Promise<void> {
    for (let count = 1; !this.#stopping.signal.aborted; count += 1) {
      const content = `${name} ${count}`;
      this.#said.push({ content, saidAt: Date.now() });
      await room.say(content);
      this.#counts.set(name, count);
      await pause(EVERY_MS, this.#stopping.signal);
    }
  }
}

function excuses(at: number) {
  return (gap: object) => {
    const { from, to }: { from?: unknown; to?: unknown } = gap;
    const [begin, end] = [Date.parse(String(from)), Date.parse(String(to))];
    return at >= begin - TOLERANCE_MS && at <= end + TOLERANCE_MS;
  };
}
