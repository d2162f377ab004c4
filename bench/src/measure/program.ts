import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { StartError } from '@session/kit';

const probe = path.join(import.meta.dirname, 'probe.ts');

interface Usage {
  /** CPU time of all threads since the start. */
  readonly cpuMs: number;
  readonly rssMb: number;
  /** The number of open files; NaN where the system has no `/proc`. */
  readonly files: number;
}

export class MeasuredProgram implements AsyncDisposable {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Starts a TypeScript file, and returns the program once it has sent `ready`. Throws a StartError when it ends before. */
  static async start(file: string, env: NodeJS.ProcessEnv, flags: readonly string[] = []) {
    const child = spawn(
      process.execPath,
      ['--conditions=@source', '--import', probe, ...flags, file],
      {
        env: { PATH: process.env['PATH'], ...env },
        // A process group of its own: Ctrl-C reaches only the bench, which then ends the program.
        detached: true,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    const ended = once(child, 'exit').then(() => {
      throw new StartError(`${file} ended before it was ready.`);
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => {});
    return new MeasuredProgram(child);
  }

  /** Asks one question at a time. Throws a StartError when the program ends instead of answering. */
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

  async usage(): Promise<Usage> {
    return await this.ask<Usage>('usage');
  }

  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, 'exit');
    this.#child.kill(signal);
    await exit;
  }
}
