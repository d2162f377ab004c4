import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { permissionArguments } from './permission-arguments.ts';

/** How a program is run: an executable and its arguments. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns the command that runs the app `program` below `appsFolder`, or undefined when that app is not installed. The
 * command runs the app's source when this process runs from source, otherwise its build. The program may read its own code
 * and nothing else (`permissionArguments`).
 */
export function findProgram(appsFolder: string, program: string): Command | undefined {
  const isSource = import.meta.filename.endsWith('.ts');
  const main = path.join(appsFolder, program, isSource ? 'src/main.ts' : 'dist/main.js');
  if (!existsSync(main)) return undefined;
  const conditions = isSource ? ['--conditions=@source'] : [];
  const permissions = permissionArguments(codeFolders(appsFolder, program));
  return { file: process.execPath, args: [...conditions, ...permissions, main] };
}

/**
 * Returns the folders with the code of an app: in an image its own folder; in a checkout also the packages and the
 * dependencies, but never the checkout itself, which contains `.env` and the secrets of the local stack.
 */
function codeFolders(appsFolder: string, program: string): string[] {
  const shared = ['packages', 'node_modules'].map((name) => path.join(appsFolder, '..', name));
  const folders = [path.join(appsFolder, program), ...shared];
  // Node compares real paths.
  return folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder));
}
