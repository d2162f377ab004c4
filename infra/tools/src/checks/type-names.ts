import { type Fault, matchLines, type Repository } from '../source-file.ts';

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (?<name>\w+)|^export const (?<shape>[A-Z]\w*)(?:: [^=]+)? =\s+z\b/gm;

/** Type names that more than one package may export, each with the reason. */
export type SharedTypeNames = Readonly<Record<string, string>>;

/** Finds types, classes and zod shapes that two packages export under one name, and needless exceptions. */
export function checkTypeNames({ packages }: Repository, shared: SharedTypeNames): Fault[] {
  const places = new Map<string, Map<string, { path: string; line: number }>>();
  for (const { folder, files } of packages) {
    for (const { path, text } of files) {
      for (const { line, groups } of matchLines(text, DECLARATION)) {
        const name = groups['name'] ?? groups['shape'] ?? '';
        const byPackage = places.get(name) ?? new Map<string, { path: string; line: number }>();
        if (!byPackage.has(folder)) byPackage.set(folder, { path, line });
        places.set(name, byPackage);
      }
    }
  }
  const duplicates = [...places].filter(([, byPackage]) => byPackage.size > 1);
  return [
    ...duplicates
      .filter(([name]) => !(name in shared))
      .flatMap(([name, byPackage]) =>
        [...byPackage].map(([folder, place]) => ({
          ...place,
          advice: `Rename ${name}: ${others(byPackage, folder)} exports that name too.`,
        })),
      ),
    ...Object.keys(shared)
      .filter((name) => !duplicates.some(([duplicate]) => duplicate === name))
      .map((name) => ({
        path: 'infra/tools/src/shared-type-names.ts',
        line: 1,
        advice: `Remove ${name} from the list: no two packages export that name.`,
      })),
  ];
}

function others(byPackage: ReadonlyMap<string, unknown>, folder: string): string {
  return [...byPackage.keys()].filter((other) => other !== folder).join(' and ');
}
