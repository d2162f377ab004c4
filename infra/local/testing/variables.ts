import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');

export interface Variable {
  readonly name: string;
  /** The default as it would stand in the environment; undefined when there is none, or when it is computed. */
  readonly defaultValue: string | undefined;
}

const NAME = /^ +([A-Z][A-Z_]+):/gm;
const DEFAULT = /\.default\((?:'([^']*)'|([\d_]+)|(true|false))\)/;

/** Returns the variables of the zod schemas in the files that `pattern` matches, from the root of the repository. */
export async function readVariables(pattern: string): Promise<Variable[]> {
  const variables = new Map<string, Variable>();
  for await (const file of glob(pattern, { cwd: root })) {
    const source = await readFile(path.join(root, file), 'utf8');
    const names = [...source.matchAll(NAME)];
    for (const [index, { 1: name = '', index: from }] of names.entries()) {
      const definition = source.slice(from, names[index + 1]?.index);
      const [, text, number, boolean] = DEFAULT.exec(definition) ?? [];
      const defaultValue = text ?? number?.replaceAll('_', '') ?? boolean;
      variables.set(name, {
        name,
        defaultValue: variables.get(name)?.defaultValue ?? defaultValue,
      });
    }
  }
  return [...variables.values()];
}

export async function readRepositoryFile(file: string): Promise<string> {
  return await readFile(path.join(root, file), 'utf8');
}
