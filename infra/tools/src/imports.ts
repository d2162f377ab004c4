import path from 'node:path';
import { matchLines, type SourceFile } from './source-file.ts';

export interface ImportOf {
  readonly line: number;
  /** A package's name, or the path of a file from the root of the repository. */
  readonly target: string;
  readonly isTypeOnly: boolean;
}

// The formatter puts every statement at the beginning of a line, and quotes with '.
const STATIC = /^(?:import|export)(?<type> type)?(?: [^'";=]*?from)? ?'(?<specifier>[^']+)'/gm;
const DYNAMIC = /\b(?:import\(|new URL\()'(?<specifier>[^']+)'/g;

/** Returns what the file imports, and the files that it names as `new URL('./worker.ts', …)`. */
export function importsOf({ path: file, text }: SourceFile): ImportOf[] {
  return [STATIC, DYNAMIC].flatMap((pattern) =>
    matchLines(text, pattern).map(({ line, groups: { specifier = '', type } }) => ({
      line,
      target: specifier.startsWith('.')
        ? path.posix.join(path.posix.dirname(file), specifier)
        : specifier,
      isTypeOnly: type !== undefined,
    })),
  );
}
