import { type SpawnOptions, spawn } from 'node:child_process';

export interface ToolOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'gid' | 'uid'> {
  readonly stop?: AbortSignal;
  readonly onSpawn?: (pid: number) => Promise<void>;
  readonly onOutput?: (text: string) => void;
}

const KEPT_CHARACTERS = 4000;

/** Returns the end of the program's output. If the program fails, throws an Error with that output. */
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
  // Await both: the end may be a failure, and come first.
  const [how] = await Promise.all([end, child.pid !== undefined && onSpawn?.(child.pid)]);
  if (how !== '0') throw new Error(output.trim() || `${command} ended with ${how}`);
  return output;
}
