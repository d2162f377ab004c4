import { readdir } from 'node:fs/promises';

interface NamedText {
  readonly name: string;
  readonly text: string;
}

const sources = new URL('../src/', import.meta.url);

/** Returns the statements that each module exports, by its path in `src`. */
export async function statementsByModule(): Promise<Record<string, readonly NamedText[]>> {
  const files = await readdir(sources, { recursive: true });
  const modules = files.filter((file) => /(?<!\.test)\.ts$/.test(file) && file !== 'index.ts');
  const entries = await Promise.all(
    modules.map(async (file) => {
      const module: Record<string, unknown> = await import(new URL(file, sources).href);
      return [file, Object.values(module).filter(isStatement)] as const;
    }),
  );
  return Object.fromEntries(entries.filter(([, statements]) => statements.length > 0));
}

function isStatement(value: unknown): value is NamedText {
  return typeof value === 'function' && 'text' in value;
}
