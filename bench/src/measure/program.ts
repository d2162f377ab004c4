import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { StartError } from '@session/kit';

const probe = path.join(import.meta.dirname, 'probe.ts');

export interface Usage {
  /** Of all its threads, since it was started. */
  readonly cpuMs: number;
  readonly rssMb: number;
  /** How many files it has open; NaN where the system does not say. */
  readonly files: number;
}

/** A program of ours in a process of its own, whose use of the machine can be asked for. */
export class Program implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /**
   * Starts a TypeScript file, from its source, and gives it when it has said `ready`; throws a StartError when it ends
   * before. What it prints is thrown away, its errors are shown.
   */
  static async start(file: string, env: NodeJS.ProcessEnv, flags: readonly string[] = []) {
    const child = spawn(
      process.execPath,
      ['--conditions=@source', '--import', probe, ...flags, file],
      {
        env: { PATH: process.env['PATH'], ...env },
        // A Ctrl-C is for us, and we end what we have started.
        detached: true,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    const ended = once(child, 'exit').then(() => {
      throw new StartError(`${file} ended before it was ready.`);
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {});
    return new Program(child);
  }

  /** Sends `message` and gives the answer; one at a time. Throws a StartError when the program ends instead. */
  async ask<Answer>(message: object | string): Promise<Answer> {
    const { promise: answered, resolve, reject } = Promise.withResolvers<Answer>();
    const end = () => reject(new StartError(`${this.#child.spawnargs.at(-1)} ended.`));
    this.#child.once('message', resolve).once('exit', end);
    try {
      this.#child.send(message);
      return await answered;
    } finally {
      this.#child.off('message', resolve).off('exit', end);
    }
  }

  /** Whether it has ended, by itself or killed. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async usage(): Promise<Usage> {
    return await this.ask<Usage>('usage');
  }

  /** Ends it without a word. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.hasEnded) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
  }
}
