import path from 'node:path';
import { type ImportOf, importsOf } from '../imports.ts';
import {
  type Fault,
  isForTests,
  type Repository,
  type SourceFile,
  type WorkspacePackage,
} from '../source-file.ts';

/** All of this package is for tests. */
const TEST_PACKAGE = 'packages/testing';
/** The bench never ships, and may use the tools of tests. */
const BENCH = 'bench';
const TEST_IMPORTS = ['vitest', '@session/testing'];

/** Finds test tools among the sources: files of `src` that only tests need, and sources that import a test tool. */
export function checkHelpers({ packages }: Repository): Fault[] {
  return packages
    .filter(({ folder }) => folder !== TEST_PACKAGE)
    .flatMap((workspacePackage) => checkPackage(workspacePackage));
}

function checkPackage({ folder, entries, files }: WorkspacePackage): Fault[] {
  const imports = new Map(files.map((file) => [file, importsOf(file)]));
  const sources = files.filter(({ path: file }) => !isForTests(file, folder));
  const importers = new Map<string, SourceFile[]>();
  for (const [file, targets] of imports) {
    for (const { target } of targets) {
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return sources.flatMap((file) => [
    ...checkUse(file, { folder, entries, importers }),
    ...(imports.get(file) ?? []).flatMap((found) => checkImport(file, found, folder)),
  ]);
}

function checkUse(
  file: SourceFile,
  {
    folder,
    entries,
    importers,
  }: {
    readonly folder: string;
    readonly entries: readonly string[];
    readonly importers: ReadonlyMap<string, readonly SourceFile[]>;
  },
): Fault[] {
  const users = importers.get(file.path) ?? [];
  const isOnlyTested = users.length > 0 && users.every((user) => isForTests(user.path, folder));
  const isHelper = path.posix.basename(file.path).startsWith('test-');
  if (!isHelper && (!isOnlyTested || entries.includes(file.path))) return [];
  const advice = `Move this file to ${folder}/testing: only tests use it.`;
  return [{ path: file.path, line: 1, advice }];
}

function checkImport(file: SourceFile, { target, line }: ImportOf, folder: string): Fault[] {
  if (folder === BENCH && isFrom(target, '@session/testing')) return [];
  const isTestTool =
    isForTests(target, folder) || TEST_IMPORTS.some((name) => isFrom(target, name));
  if (!isTestTool && !/^@session\/[^/]+\/testing$/.test(target)) return [];
  const advice = `Do not import ${target} in a source: it is for tests only.`;
  return [{ path: file.path, line, advice }];
}

function isFrom(target: string, packageName: string): boolean {
  return target === packageName || target.startsWith(`${packageName}/`);
}
