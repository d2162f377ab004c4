import type { Repository } from '../src/source-file.ts';

/**
 * Returns a repository of the packages whose files are given, as texts by their paths from the root. `entries` are started
 * or imported from outside.
 */
export function repositoryOf(
  files: Readonly<Record<string, string>>,
  entries: readonly string[] = [],
): Repository {
  const folders = new Set(
    Object.keys(files).map((path) => path.replace(/^(bench|[^/]+\/[^/]+)\/.*/, '$1')),
  );
  return {
    packages: [...folders].map((folder) => ({
      folder,
      entries,
      files: Object.entries(files)
        .filter(([path]) => path.startsWith(`${folder}/`))
        .map(([path, text]) => ({ path, text })),
    })),
    restrictedGlobs: [],
  };
}
