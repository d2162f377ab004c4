import { type Fault, isForTests, matchLines, type Repository } from '../source-file.ts';

const CALL = /(?<name>\bdb\.(?:[A-Z][A-Z_]+|\w+Text)|\b[A-Z]+(?:_[A-Z]+)+)\(/g;
const IMPORT = /^import \{[^}]*\b(?<name>\w+Text)\b[^}]*\} from '@session\/db';/gm;

/** Finds apps that use what `@session/db` exports for its own functions: statements in capitals, and texts of parts. */
export function checkStatementParts({ packages }: Repository): Fault[] {
  return packages
    .filter(({ folder }) => folder.startsWith('apps/'))
    .flatMap(({ folder, files }) => files.filter(({ path }) => !isForTests(path, folder)))
    .flatMap(({ path, text }) =>
      [...matchLines(text, CALL), ...matchLines(text, IMPORT)].map(({ line, groups }) => ({
        path,
        line,
        advice: `Call a function of @session/db instead of ${groups['name']}, which is a part of such functions.`,
      })),
    );
}
