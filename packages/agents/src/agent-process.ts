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

const MEMORY_CHECK_MS = 500;

const OUTPUT_TIMEOUT_MS = 1000;

export interface ProcessLimits {
  /** The limit of the program and all its child processes together. Above it, all of them are killed. Linux only. */
  readonly memoryBytes: number;
  readonly user?: ProcessUser | undefined;
}

/**
 * A program in its own process group. Ctrl-C reaches only the parent process, and the end of the program also ends its
 * children. When the parent process dies, the IPC channel closes, and the program ends by itself.
 */
export class AgentProcess {
  readonly logs = new LogBuffer();
  readonly pid: number;
  readonly ended: Promise<Workload>;
  readonly #child: ChildProcess;
  readonly #exited = new AbortController();
  #isStopping = false;
  #cause: StopReason | undefined;

  private constructor(child: ChildProcess, pid: number, memoryLimitBytes: number) {
    this.#child = child;
    this.pid = pid;
    this.ended = this.#watch();
    void this.#limitMemory(memoryLimitBytes);
  }

  static async start(
    { file, args }: Command,
    env: Readonly<Record<string, string>>,
    { memoryBytes, user }: ProcessLimits,
  ): Promise<AgentProcess> {
    const stdio = ['ignore', 'pipe', 'pipe', 'ipc'] as const;
    const child = spawn(file, args, { env, detached: true, stdio: [...stdio], ...user });
    await once(child, 'spawn');
    if (child.pid === undefined) throw new Error('the spawned process has no pid');
    return new AgentProcess(child, child.pid, memoryBytes);
  }

  stop(graceMs: number): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#child.kill('SIGTERM');
    void this.#killAfter(graceMs);
  }

  evict(graceMs: number): void {
    if (!this.#isStopping) this.#cause ??= 'evicted';
    this.stop(graceMs);
  }

  onMessage(listener: () => void): void {
    this.#child.on('message', listener);
  }

  async #watch(): Promise<Workload> {
    const { stdout, stderr } = this.#child;
    const output = Promise.all([this.#collect('stdout', stdout), this.#collect('stderr', stderr)]);
    const exit = Promise.withResolvers<Exit>();
    this.#child.once('exit', (code, signal) => exit.resolve({ code, signal }));
    // For example, a signal that cannot be delivered. Only the exit matters.
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
