import { mkdir, readdir, rmdir } from 'node:fs/promises';
import path from 'node:path';
import pLimit from 'p-limit';
import type { BatchReceiver, QueuedMessage } from '../../message-path.ts';
import { greatestKey, SHED_SHARE } from '../shed.ts';
import { Spool } from '../spool/spool.ts';
import type { MessageLanes } from '../spool-replay.ts';
import { Lane, type LaneDeps } from './lane.ts';
import type { LaneMessages } from './lane-messages.ts';

/** When more sessions than this fail, the cause is the database. */
const MAX_LANES = 32;
/** How many lanes are tried at the same time. Each may wait for a lock, on a separate connection. */
export const LANES_AT_ONCE = 3;

export interface LanesDeps extends Omit<LaneDeps, 'openSpool' | 'sessionId'> {
  readonly folder: string;
  readonly limitBytes: number;
  readonly onShed: (sessionId: string, count: number) => void;
  readonly onUnsaved: (count: number) => void;
}

export class Lanes implements MessageLanes {
  readonly #deps: LanesDeps;
  readonly #store: BatchReceiver;
  readonly #lanes = new Map<string, Lane>();
  readonly #running = new Set<Promise<void>>();
  readonly #givingUp = new AbortController();
  readonly #shedding = pLimit(1);

  private constructor(deps: LanesDeps) {
    this.#deps = deps;
    const inTurn = pLimit(LANES_AT_ONCE);
    this.#store = { store: async (batch) => await inTurn(() => deps.store.store(batch)) };
  }

  static async open(deps: LanesDeps): Promise<Lanes> {
    const lanes = new Lanes(deps);
    await mkdir(deps.folder, { recursive: true, mode: 0o700 });
    for (const sessionId of await readdir(deps.folder)) {
      const spool = await lanes.#openSpool(sessionId);
      lanes.#start(sessionId, lanes.#create(sessionId, spool));
    }
    return lanes;
  }

  get length(): number {
    return this.#sum(({ length }) => length);
  }

  get spooled(): number {
    return this.#sum(({ spooled }) => spooled);
  }

  get sizeBytes(): number {
    return this.#sum(({ sizeBytes }) => sizeBytes);
  }

  get size(): number {
    return this.#lanes.size;
  }

  get sinceBySession(): ReadonlyMap<string, number> {
    const times = Array.from(this.#lanes, ([id, { messages }]) => [id, messages.since] as const);
    return new Map(times.filter(([, since]) => since < Infinity));
  }

  get inMemorySince(): number {
    return Math.min(...Array.from(this.#lanes.values(), ({ messages }) => messages.inMemorySince));
  }

  get settledSince(): number {
    return Math.min(...Array.from(this.#lanes.values(), ({ messages }) => messages.settledSince));
  }

  has(sessionId: string): boolean {
    return this.#lanes.has(sessionId);
  }

  mayOpen(count: number): boolean {
    return this.size + count <= MAX_LANES;
  }

  async append(messages: readonly QueuedMessage[], isDurable: boolean): Promise<void> {
    if (messages.length > 0) await this.#shedding(() => this.#shedSome());
    for (const [sessionId, own] of Map.groupBy(messages, (queued) => queued.sessionId)) {
      const former = this.#lanes.get(sessionId);
      const lane = former ?? this.#create(sessionId);
      const appended = lane.messages.append(own, isDurable);
      // The lane is started only once an append is pending, because an empty lane ends at once.
      if (!former) this.#start(sessionId, lane);
      await appended;
    }
  }

  giveUp(): void {
    this.#givingUp.abort();
  }

  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #sum(count: (messages: LaneMessages) => number): number {
    return [...this.#lanes.values()].reduce((sum, { messages }) => sum + count(messages), 0);
  }

  async #shedSome(): Promise<void> {
    const { limitBytes } = this.#deps;
    if (this.sizeBytes <= limitBytes) return;
    for (;;) {
      const bytes = this.sizeBytes - limitBytes * (1 - SHED_SHARE);
      const sizes = Array.from(
        this.#lanes,
        ([id, { messages }]) => [id, messages.sizeBytes] as const,
      );
      const lane = this.#lanes.get(greatestKey(new Map(sizes)) ?? '');
      if (bytes <= 0 || !lane || (await lane.messages.shed(bytes)) === 0) return;
    }
  }

  #create(sessionId: string, spool?: Spool): Lane {
    const openSpool = async () => await this.#openSpool(sessionId);
    return new Lane({ ...this.#deps, store: this.#store, sessionId, openSpool }, spool);
  }

  #start(sessionId: string, lane: Lane): void {
    this.#lanes.set(sessionId, lane);
    const running = this.#run(sessionId, lane).finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #run(sessionId: string, lane: Lane): Promise<void> {
    // A message that is appended while a run ends begins another run.
    const { signal } = this.#givingUp;
    const { messages } = lane;
    while (!messages.isEmpty && !signal.aborted) await lane.run(signal);
    if (messages.isEmpty) this.#lanes.delete(sessionId);
    this.#deps.noted(0);
    await messages.spill().catch(() => this.#deps.onUnsaved(messages.length - messages.spooled));
    await messages.close();
    // Fails while the folder still contains files.
    await rmdir(this.#folderOf(sessionId)).catch(() => {});
  }

  async #openSpool(sessionId: string): Promise<Spool> {
    const { limitBytes, onShed } = this.#deps;
    const folder = this.#folderOf(sessionId);
    return await Spool.open({ folder, limitBytes, onShed });
  }

  #folderOf(sessionId: string): string {
    return path.join(this.#deps.folder, sessionId);
  }
}
