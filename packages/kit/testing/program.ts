import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface ProgramEnd {
  readonly end: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Program extends AsyncDisposable {
  readonly pid: number;
  readonly child: ChildProcess;
  readonly ended: Promise<ProgramEnd>;
  /** Resolves when the program has written the line `ready`, or has ended. */
  readonly ready: Promise<unknown>;
}

interface ProgramOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly detached?: boolean;
}

/** The import of every tool of this package, for the first line of a script. */
export const importKit = `import * as kit from ${JSON.stringify(
  new URL('../src/index.ts', import.meta.url).href,
)};`;

/** Starts a script as an ES module that may import TypeScript. */
export function startProgram(script: string, options: ProgramOptions = {}): Program {
  const args = ['--conditions=@source', '--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = (async () => {
    const [[code, signal], stdout, stderr] = await Promise.all([
      once(child, 'exit'),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { end: code ?? signal, stdout, stderr };
  })();
  const ready = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      if (String(chunk).includes('ready')) resolve(undefined);
    });
  });
  const { pid = 0 } = child;
  return {
    pid,
    child,
    ended,
    ready: Promise.race([ready, ended]),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

export async function runProgram(script: string, options?: ProgramOptions): Promise<ProgramEnd> {
  return await startProgram(script, options).ended;
}
