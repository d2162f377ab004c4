import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { killGroup, pause } from '@session/kit';
import type { ProcessUser } from './config.ts';
import type { OutputLine, Workload } from './launcher.ts';
import { LineSplitter } from './line-splitter.ts';
import { LogBuffer } from './log-buffer.ts';
import { residentBytes } from './memory.ts';
import type { Command } from './programs.ts';
import type { StopReason } from './stop-reason.ts';

/** How often the memory of a program is measured. A program that grows faster is stopped by the machine, not by us. */
const MEMORY_CHECK_MS = 500;

/** How long output may follow the exit, through a pipe that a child of the program keeps open. */
const OUTPUT_TIMEOUT_MS = 1000;

/** What a program may use. */
export interface ProcessLimits {
  /** For the program and the processes that it started: above it they are killed. Only on Linux; elsewhere there is no limit. */
  readonly memoryBytes: number;
  /** The user and the group that it runs as; undefined: those of this process. */
  readonly user?: ProcessUser | undefined;
}

/**
 * One program in a process group of its own. Ctrl-C in a terminal therefore reaches only this process, and the end of the
 * program also ends the processes that it started. The program gets an IPC channel: when this process dies, the channel
 * closes, and the program ends by itself.
 */
export class AgentProcess {
  readonly logs = new LogBuffer();
  readonly pid: number;
  /** Resolves with the end of the program once all its output is in `logs`. Never rejects. */
  readonly ended: Promise<Workload>;
  readonly #child: ChildProcess;
  readonly #exited = new AbortController();
  #isStopping = false;
  /** Why the program ends, when its exit code alone would mislead. */
  #cause: StopReason | undefined;

  private constructor(child: ChildProcess, pid: number, memoryLimitBytes: number) {
    this.#child = child;
    this.pid = pid;
    this.ended = this.#watch();
    void this.#limitMemory(memoryLimitBytes);
  }

  /**
   * Starts a program and returns its process once it runs. Throws when the system cannot create the process.
   *
   * @param env the whole environment of the program
   */
  static async start(
    { file, args }: Command,
    env: Readonly<Record<string, string>>,
    { memoryBytes, user }: ProcessLimits,
  ): Promise<AgentProcess> {
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    const child = spawn(file, args, { env, detached: true, stdio: [...stdio], ...user });
    await once(child, 'spawn');
    if (child.pid === undefined) throw new Error('a spawned process has a pid');
    return new AgentProcess(child, child.pid, memoryBytes);
  }

  /** Asks the program to end, and kills it if it still runs after `graceMs`. Only the first call counts. */
  stop(graceMs: number): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#child.kill('SIGTERM');
    void this.#killAfter(graceMs);
  }

  /** Stops the program because this process ends. The end has the cause `evicted`, unless `stop` was called before. */
  evict(graceMs: number): void {
    if (!this.#isStopping) this.#cause ??= 'evicted';
    this.stop(graceMs);
  }

  /** Calls `listener` for each message that the program sends over its IPC channel, such as `ready`. */
  onMessage(listener: () => void): void {
    this.#child.on('message', listener);
  }

  async #watch(): Promise<Workload> {
    const { stdout, stderr } = this.#child;
    const output = Promise.all([this.#collect('stdout', stdout), this.#collect('stderr', stderr)]);
    const exit = Promise.withResolvers<Exit>();
    this.#child.once('exit', (code, signal) => exit.resolve({ code, signal }));
    // For example a signal that cannot be delivered. Only the exit matters.
    this.#child.on('error', () => {});
    const { code, signal } = await exit.promise;
    this.#exited.abort();
    killGroup(this.pid);
    const outputEnded = new AbortController();
    const timeout = pause(OUTPUT_TIMEOUT_MS, outputEnded.signal);
    await Promise.race([output, timeout]);
    outputEnded.abort();
    for (const stream of [stdout, stderr]) stream?.destroy();
    this.logs.end();
    return endOf({ code, signal }, this.#cause);
  }

  async #collect(name: 'stderr' | 'stdout', stream: Readable | null): Promise<void> {
    const splitter = new LineSplitter();
    const keep = (lines: readonly OutputLine[]) =>
      this.logs.push(lines.map((line) => ({ ...line, stream: name })));
    stream?.on('data', (chunk: Buffer) => keep(splitter.push(chunk)));
    if (stream) await finished(stream).catch(() => {});
    keep(splitter.end());
  }

  async #killAfter(graceMs: number): Promise<void> {
    if (await pause(graceMs, this.#exited.signal)) killGroup(this.pid);
  }

  async #limitMemory(limitBytes: number): Promise<void> {
    while (await pause(MEMORY_CHECK_MS, this.#exited.signal)) {
      if ((await residentBytes(this.pid)) <= limitBytes || this.#exited.signal.aborted) continue;
      this.#cause = 'out_of_memory';
      killGroup(this.pid);
    }
  }
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Returns the end as shells and containers report it: an end by a signal has the code 128 + the signal's number. */
function endOf({ code, signal }: Exit, cause: StopReason | undefined): Workload {
  return {
    phase: 'ended',
    exitCode: signal === null ? code : 128 + constants.signals[signal],
    ...(cause && { cause }),
    ...detailOf(signal, cause),
  };
}

function detailOf(signal: Exit['signal'], cause: StopReason | undefined): { detail?: string } {
  if (cause === 'out_of_memory') return { detail: 'The agent used more memory than its limit.' };
  return signal === null ? {} : { detail: `The agent’s program was ended by ${signal}.` };
}
