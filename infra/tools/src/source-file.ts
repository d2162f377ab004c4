export interface SourceFile {
  /** From the root of the repository, with `/` between folders. */
  readonly path: string;
  readonly text: string;
}

/** A workspace package. All paths are from the root of the repository. */
export interface WorkspacePackage {
  readonly folder: string;
  /** Files that are started or imported from outside: targets of `exports`, programs, workers. */
  readonly entries: readonly string[];
  readonly files: readonly SourceFile[];
}

export interface Repository {
  readonly packages: readonly WorkspacePackage[];
  /** The globs of files for which .oxlintrc.json restricts imports. */
  readonly restrictedGlobs: readonly string[];
}

export interface Fault {
  readonly path: string;
  /** Counted from 1. */
  readonly line: number;
  readonly advice: string;
}

export function faultLine({ path, line, advice }: Fault): string {
  return `${path}:${line}: ${advice}`;
}

export function isForTests(path: string, folder: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith(`${folder}/testing/`);
}

export function matchLines(
  text: string,
  pattern: RegExp,
): { readonly line: number; readonly groups: Readonly<Record<string, string | undefined>> }[] {
  return [...text.matchAll(pattern)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    groups: match.groups ?? {},
  }));
}
