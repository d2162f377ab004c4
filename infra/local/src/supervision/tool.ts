import { type SpawnOptions, spawn } from 'node:child_process';

export interface ToolOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'gid' | 'uid'> {
  /** Ends the program when it aborts. */
  readonly stop?: AbortSignal;
  /** Called with its pid as soon as it runs. */
  readonly onSpawn?: (pid: number) => Promise<void>;
  /** Called with each piece of output. */
  readonly onOutput?: (text: string) => void;
}

const KEPT_CHARACTERS = 4000;

/** Runs a program to its end, and returns the end of its output. If the program fails, throws an Error with that output. */
export async function run(
  command: string,
  args: readonly string[],
  { stop, onSpawn, onOutput, ...options }: ToolOptions = {},
): Promise<string> {
  const child = spawn(command, args, {
    ...options,
    ...(stop && { signal: stop }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_CHARACTERS);
      onOutput?.(text);
    });
  }
  const end = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(signal ?? String(code)));
  });
  // Both at the same time: the end may be a failure, and come first.
  const [how] = await Promise.all([end, child.pid !== undefined && onSpawn?.(child.pid)]);
  if (how !== '0') throw new Error(output.trim() || `${command} ended with ${how}`);
  return output;
}
