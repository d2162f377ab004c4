import { readdir, readFile } from 'node:fs/promises';
import { pause, StartError } from '@session/kit';
import { markdownTable, median } from '../measure/figures.ts';
import type { BenchOptions } from '../measure/servers.ts';
import type { ConversationTestbed } from './bench-conversation.ts';
import { TimedPerson } from './timed-person.ts';

const AGENTS = 10;
/** Each person says something this often. An agent asks its model at most twenty times a minute. */
const EACH_MS = 10_000;
const MINUTE_MS = 60_000;
const PAGE_BYTES = 4096;

export async function benchMemory(
  testbed: ConversationTestbed,
  minutes: number,
  { progress, stop }: BenchOptions,
): Promise<string> {
  const rows: string[][] = [];
  for (const role of testbed.roles) {
    await progress.during(`Talking with ten of the ${role}`, async (note) => {
      await using talks = await Talks.open(testbed, role, stop);
      rows.push([role, 'in their rooms', ...cellsOf(await talks.memoryMb())]);
      for (let minute = 1; minute <= minutes; minute += 1) {
        note(`minute ${minute} of ${minutes}`);
        await talks.go(MINUTE_MS);
        if (minute !== 1 && minute !== minutes) continue;
        rows.push([role, `after ${minute} min`, ...cellsOf(await talks.memoryMb())]);
      }
    });
  }
  return markdownTable(['agent', 'when', 'one, median', 'one, most', 'all ten'], rows);
}

function cellsOf(sizes: readonly number[]): string[] {
  const sum = sizes.reduce((total, size) => total + size, 0);
  return [median(sizes), Math.max(...sizes), sum].map((mb) => `${Math.round(mb)} MB`);
}

class Talks implements AsyncDisposable {
  readonly #people: readonly TimedPerson[];
  readonly #agentIds: readonly string[];
  readonly #owned: AsyncDisposableStack;
  readonly #stop: AbortSignal;

  private constructor(
    people: readonly TimedPerson[],
    agentIds: readonly string[],
    owned: AsyncDisposableStack,
    stop: AbortSignal,
  ) {
    this.#people = people;
    this.#agentIds = agentIds;
    this.#owned = owned;
    this.#stop = stop;
  }

  static async open(
    { api, envTemplateId }: ConversationTestbed,
    role: string,
    stop: AbortSignal,
  ): Promise<Talks> {
    await using stack = new AsyncDisposableStack();
    const people: TimedPerson[] = [];
    const agentIds: string[] = [];
    for (let count = 0; count < AGENTS; count += 1) {
      const sessionId = await api.createSession();
      people.push(stack.use(await TimedPerson.join(await api.access(sessionId), stop)));
      const agentId = await api.startAgent(sessionId, { role, envTemplateId });
      stack.defer(async () => void (await api.stopAgent(agentId)));
      agentIds.push(agentId);
    }
    return new Talks(people, agentIds, stack.move(), stop);
  }

  /**
   * Makes all people talk for this long. Throws a StartError when an answer is missing, and when the bench is stopped.
   */
  async go(durationMs: number): Promise<void> {
    const began = performance.now();
    const times = Math.floor(durationMs / EACH_MS);
    for (let time = 1; time <= times; time += 1) {
      await Promise.all(
        this.#people.map(async (person) => {
          await person.firstWordsAfter(await person.type('Good morning. Can you hear me?'));
        }),
      );
      const waitMs = began + time * EACH_MS - performance.now();
      if (!(await pause(Math.max(0, waitMs), this.#stop))) throw new StartError('Stopped.');
    }
  }

  /** Returns the resident memory of each agent with its children, in MB. */
  async memoryMb(): Promise<number[]> {
    const sizes = new Map(this.#agentIds.map((id) => [`AGENT_ID=${id}`, 0]));
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
      const own = environment.split('\0').find((variable) => sizes.has(variable));
      if (own === undefined) continue;
      const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
      const bytes = Number(statm.split(' ')[1] ?? 0) * PAGE_BYTES;
      sizes.set(own, (sizes.get(own) ?? 0) + bytes / 1e6);
    }
    return [...sizes.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
