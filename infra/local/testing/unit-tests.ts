import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const IMPORT = /^(?:import|export|\}) (?!type )[^;]*?from '([^']+)';$/gm;
const packages = path.resolve(import.meta.dirname, '../../../packages');
/** How a module asks vitest for the servers of the run. */
const INJECT = /^import \{[^}]*\binject\b[^}]*\} from 'vitest';$/m;

/**
 * Returns those test files below `root` that need no server of the run: no module that they import by its path, and no test tool of
 * a package, asks for one.
 */
export function listUnitTests(
  root: string,
  include: readonly string[],
  exclude: readonly string[],
) {
  const modules = new Map<string, Module>();
  const read = (file: string): Module => {
    const module = modules.get(file) ?? readModule(file);
    modules.set(file, module);
    return module;
  };
  const asksForServers = (test: string): boolean => {
    const reached = new Set([test]);
    for (const file of reached) {
      const { asks, imports } = read(file);
      if (asks) return true;
      for (const imported of imports) reached.add(imported);
    }
    return false;
  };
  const tests = globSync(include, { cwd: root, exclude });
  return tests.filter((test) => !asksForServers(path.resolve(root, test)));
}

interface Module {
  readonly asks: boolean;
  readonly imports: readonly string[];
}

function readModule(file: string): Module {
  const source = readFileSync(file, 'utf8');
  const names = [...source.matchAll(IMPORT)].map(([, name = '']) => name);
  return { asks: INJECT.test(source), imports: names.flatMap((name) => pathOf(file, name) ?? []) };
}

function pathOf(file: string, name: string): string | undefined {
  if (/^\..*\.tsx?$/.test(name)) return path.resolve(path.dirname(file), name);
  const tools = /^@session\/([^/]+)\/testing$|^@session\/(testing)$/.exec(name);
  if (!tools) return undefined;
  const folder = path.join(packages, tools[1] ?? 'testing');
  const manifest = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const entry = new RegExp(`"${tools[1] ? './testing' : '.'}": \\{[^}]*"@source": "(.*)"`);
  const [, source] = entry.exec(manifest) ?? [];
  return source && path.join(folder, source);
}
