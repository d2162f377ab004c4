import { existsSync, realpathSync } from 'node:fs';
import path from 'node:path';
import type { AgentRole } from './catalogue.ts';
import { permissionArguments } from './permission-arguments.ts';

/**
 * When LiveKit's framework is imported, it reads the name of the C library and the memory limit of the container.
 * Without permission to read them, the import fails.
 */
const MORE_READS = new Map([['core-agent', ['/etc/alpine-release', '/sys/fs/cgroup']]]);

/**
 * An agent mostly waits. So its young generation is small, one thread helps it, and garbage is collected early. V8's last
 * optimizer is off, because its code takes 6 MB as soon as one function needs it.
 */
const MEMORY_ARGUMENTS = [
  '--max-semi-space-size=1',
  '--v8-pool-size=1',
  '--optimize-for-size',
  '--no-opt',
];

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Returns the command for the app `program`, from its source if `isSource`; undefined when it is not installed. The program
 * may read its own code and little else.
 */
export function findProgram(
  appsFolder: string,
  program: string,
  isSource = import.meta.filename.endsWith('.ts'),
): Command | undefined {
  const main = path.join(appsFolder, program, isSource ? 'src/main.ts' : 'dist/main.js');
  if (!existsSync(main)) return undefined;
  const conditions = isSource ? ['--conditions=@source'] : [];
  const permissions = permissionArguments(readablePaths(appsFolder, program));
  return {
    file: process.execPath,
    args: [...conditions, ...MEMORY_ARGUMENTS, ...permissions, main],
  };
}

/**
 * Returns the command of a role, either that of its own program for Node or that of the app that `find` returns; undefined
 * if there is none.
 */
export function commandOf(
  { program, run }: AgentRole,
  find: (program: string) => Command | undefined,
): Command | undefined {
  if (!run) return find(program);
  const { node, reads } = run;
  if (node === undefined || !existsSync(node)) return undefined;
  // Node compares real paths.
  const folders = [node, ...reads].filter((one) => existsSync(one)).map((one) => realpathSync(one));
  return { file: process.execPath, args: [...permissionArguments(folders), node] };
}

/**
 * Returns the paths that a program may read. Never includes the checkout itself, which contains `.env` and local
 * secrets.
 */
function readablePaths(appsFolder: string, program: string): string[] {
  const shared = ['packages', 'node_modules'].map((name) => path.join(appsFolder, '..', name));
  const folders = [path.join(appsFolder, program), ...shared];
  // Node compares real paths.
  const code = folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder));
  return [...code, ...(MORE_READS.get(program) ?? [])];
}
