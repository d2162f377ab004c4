import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { killGroup, pause } from '@session/kit';
import type { Workload } from './launcher.ts';
import { LineSplitter } from './line-splitter.ts';
import { LogBuffer } from './log-buffer.ts';
import { residentBytes } from './memory.ts';
import type { Command } from './programs.ts';
import type { StopReason } from './stop-reason.ts';

/** How often its memory is looked at. A program that takes it faster than that is stopped by the machine, not by us. */
const MEMORY_LOOK_MS = 500;

/** How long output may still come after the end, through a pipe that a process of the program's has kept open. */
const OUTPUT_TIMEOUT_MS = 1000;

/**
 * One program, in a process group of its own: Ctrl-C in a terminal reaches only us, and its end takes along what it has
 * started itself. It gets an IPC channel; when we die the channel closes, and the program ends by itself.
 */
export class AgentProcess {
  readonly logs = new LogBuffer();
  readonly pid: number;
  /** Resolves with what became of it, when all its output is in `logs`. Never rejects. */
  readonly ended: Promise<Workload>;
  readonly #child: ChildProcess;
  readonly #exited = new AbortController();
  #isStopping = false;
  /** Why it ends, when its exit code alone would tell the wrong story. */
  #cause: StopReason | undefined;

  private constructor(child: ChildProcess, pid: number, memoryBytes: number) {
    this.#child = child;
    this.pid = pid;
    this.ended = this.#watch();
    void this.#limitMemory(memoryBytes);
  }

  /**
   * Gives the process when it runs; throws when the system cannot make it. `env` is all of its environment; it is killed
   * when it holds more than `memoryBytes`, together with what it has started: on Linux, elsewhere there is no limit.
   */
  static async start(
    { file, args }: Command,
    env: Readonly<Record<string, string>>,
    memoryBytes: number,
  ): Promise<AgentProcess> {
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    const child = spawn(file, args, { env, detached: true, stdio: [...stdio] });
    await once(child, 'spawn');
    if (child.pid === undefined) throw new Error('a process that was spawned has a pid');
    return new AgentProcess(child, child.pid, memoryBytes);
  }

  /** Asks it to end, and kills it when it has not after `graceMs`. The first call's grace counts. */
  stop(graceMs: number): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#child.kill('SIGTERM');
    void this.#killAfter(graceMs);
  }

  /** As `stop`, because we are going: that is why it ends, unless it was stopped before. */
  evict(graceMs: number): void {
    if (!this.#isStopping) this.#cause ??= 'evicted';
    this.stop(graceMs);
  }

  /** Calls `listener` when the program says something on its channel: that it is ready, say. */
  onMessage(listener: () => void): void {
    this.#child.on('message', listener);
  }

  async #watch(): Promise<Workload> {
    const { stdout, stderr } = this.#child;
    const output = Promise.all([stdout, stderr].map((stream) => this.#keep(stream)));
    const exit = Promise.withResolvers<Exit>();
    this.#child.once('exit', (code, signal) => exit.resolve({ code, signal }));
    // A signal that cannot be delivered, say: what counts is the exit.
    this.#child.on('error', () => {});
    const how = await exit.promise;
    this.#exited.abort();
    killGroup(this.pid);
    const isDone = new AbortController();
    const patience = pause(OUTPUT_TIMEOUT_MS, isDone.signal);
    await Promise.race([output, patience]);
    isDone.abort();
    for (const stream of [stdout, stderr]) stream?.destroy();
    this.logs.end();
    return endOf(how, this.#cause);
  }

  async #keep(stream: Readable | null): Promise<void> {
    const splitter = new LineSplitter();
    stream?.on('data', (chunk: Buffer) => this.logs.push(splitter.push(chunk)));
    if (stream) await finished(stream).catch(() => {});
    this.logs.push(splitter.end());
  }

  async #killAfter(graceMs: number): Promise<void> {
    if (await pause(graceMs, this.#exited.signal)) killGroup(this.pid);
  }

  async #limitMemory(mostBytes: number): Promise<void> {
    while (await pause(MEMORY_LOOK_MS, this.#exited.signal)) {
      if ((await residentBytes(this.pid)) <= mostBytes || this.#exited.signal.aborted) continue;
      this.#cause = 'out_of_memory';
      killGroup(this.pid);
    }
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** As shells and containers count, an end by a signal has the code 128 + its number. */
function endOf({ code, signal }: Exit, cause: StopReason | undefined): Workload {
  return {
    phase: 'ended',
    exitCode: signal === null ? code : 128 + constants.signals[signal],
    ...(cause && { cause }),
    ...detailOf(signal, cause),
  };
}

function detailOf(signal: Exit['signal'], cause: StopReason | undefined): { detail?: string } {
  if (cause === 'out_of_memory') return { detail: 'It needed more memory than it may have.' };
  return signal === null ? {} : { detail: `It was ended by ${signal}.` };
}
