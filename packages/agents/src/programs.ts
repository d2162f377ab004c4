import { existsSync } from 'node:fs';
import path from 'node:path';

/** How a program is run: an executable and its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns the command that runs the app `program` below `appsFolder`, or undefined when that app is not installed. The
 * command runs the app's source when this process runs from source, otherwise its build.
 */
export function findProgram(appsFolder: string, program: string): Command | undefined {
  const isSource = import.meta.filename.endsWith('.ts');
  const main = path.join(appsFolder, program, isSource ? 'src/main.ts' : 'dist/main.js');
  if (!existsSync(main)) return undefined;
  return { file: process.execPath, args: [...(isSource ? ['--conditions=@source'] : []), main] };
}
