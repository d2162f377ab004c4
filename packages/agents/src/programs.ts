import { existsSync } from 'node:fs';
import path from 'node:path';

/** What runs an agent: a program and its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Gives the command of the app called `program` below `appsFolder`, or undefined when it is not installed. From source
 * when we run from source ourselves, else as built.
 */
export function findProgram(appsFolder: string, program: string): Command | undefined {
  const isSource = import.meta.filename.endsWith('.ts');
  const main = path.join(appsFolder, program, isSource ? 'src/main.ts' : 'dist/main.js');
  if (!existsSync(main)) return undefined;
  return { file: process.execPath, args: [...(isSource ? ['--conditions=@source'] : []), main] };
}
