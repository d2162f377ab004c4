/** A source, and the faults that are put into it one at a time. Paths are from the root of the repository. */
export interface MutatedFile {
  readonly file: string;
  /** At least one of these tests must fail. Default: the test beside the file. */
  readonly tests?: readonly string[];
  /** Each text occurs exactly once in the file. */
  readonly changes: readonly (readonly [text: string, replacement: string])[];
}

export interface Mutant {
  readonly file: string;
  readonly tests: readonly string[];
  readonly text: string;
  readonly replacement: string;
}

export function mutantsOf(files: readonly MutatedFile[]): Mutant[] {
  return files.flatMap(({ file, tests = [file.replace(/\.ts$/, '.test.ts')], changes }) =>
    changes.map(([text, replacement]) => ({ file, tests, text, replacement })),
  );
}

export function mutate(source: string, { text, replacement }: Mutant): string {
  const [before = '', after, ...others] = source.split(text);
  if (after === undefined) throw new Error('it does not occur there');
  if (others.length > 0) throw new Error(`it occurs ${others.length + 1} times there`);
  return before + replacement + after;
}
