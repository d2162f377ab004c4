import { importsOf } from '../imports.ts';
import {
  type Fault,
  isForTests,
  type Repository,
  type SourceFile,
  type WorkspacePackage,
} from '../source-file.ts';

/** The files directly in the folder that no layer names. */
export const ROOT = '.';

/** The order in which the folders of one `src` may import each other. */
export interface FolderOrder {
  /**
   * From top to bottom: names of folders, of files without their ending, or `ROOT`. A folder imports only from layers below
   * its own; folders of one layer do not import each other.
   */
  readonly layers: readonly (readonly string[])[];
  /** Files whose types (`import type`) every layer may import. */
  readonly typesForAll?: readonly string[];
}

/** The order by the package's folder. */
export type FolderOrders = Readonly<Record<string, FolderOrder>>;

/** Finds imports that go up or sideways between the folders of a package, and folders that have no place in the order. */
export function checkFolderOrder({ packages }: Repository, orders: FolderOrders): Fault[] {
  return packages.flatMap((workspacePackage) => {
    const order = orders[workspacePackage.folder] ?? { layers: [[ROOT]] };
    const sources = workspacePackage.files.filter(
      ({ path }) =>
        !isForTests(path, workspacePackage.folder) &&
        path.startsWith(`${workspacePackage.folder}/src/`),
    );
    return [
      ...missingUnits(workspacePackage, sources, order),
      ...sources.flatMap((file) => checkFile(workspacePackage, file, order)),
    ];
  });
}

function missingUnits(
  { folder }: WorkspacePackage,
  sources: readonly SourceFile[],
  { layers }: FolderOrder,
): Fault[] {
  const listed = layers.flat();
  const present = new Map(sources.map((file) => [unitOf(file.path, folder, listed), file]));
  const path = 'infra/check/src/folder-orders.ts';
  return [
    ...[...present.keys()]
      .filter((unit) => !listed.includes(unit))
      .map((unit) => ({
        path,
        line: 1,
        advice: `Give ${nameOf(unit)} a layer in the order of ${folder}.`,
      })),
    ...listed
      .filter((unit) => !present.has(unit))
      .map((unit) => ({
        path,
        line: 1,
        advice: `Remove ${nameOf(unit)} from the order of ${folder}: its src has no such file or folder.`,
      })),
  ];
}

function checkFile({ folder }: WorkspacePackage, file: SourceFile, order: FolderOrder): Fault[] {
  const listed = order.layers.flat();
  const from = unitOf(file.path, folder, listed);
  if (!listed.includes(from)) return [];
  return importsOf(file).flatMap(({ target, line, isTypeOnly }) => {
    if (!target.startsWith(`${folder}/src/`)) return [];
    const to = unitOf(target, folder, listed);
    if (to === from || (isTypeOnly && order.typesForAll?.includes(to))) return [];
    if (!listed.includes(to) || layerOf(to, order) > layerOf(from, order)) return [];
    const advice = `Do not import ${nameOf(to)} from ${nameOf(from)}: infra/check/src/folder-orders.ts has it no lower.`;
    return [{ path: file.path, line, advice }];
  });
}

/** Returns the name under which an order lists the file: its top folder, its own name, or `ROOT`. */
function unitOf(path: string, folder: string, listed: readonly string[]): string {
  const [top = '', ...rest] = path.slice(`${folder}/src/`.length).split('/');
  if (rest.length > 0) return top;
  const name = top.replace(/\.ts$/, '');
  return listed.includes(name) ? name : ROOT;
}

/** Returns the unit as a fault names it. */
function nameOf(unit: string): string {
  return unit === ROOT ? 'the root files' : unit;
}

function layerOf(unit: string, { layers }: FolderOrder): number {
  return layers.findIndex((layer) => layer.includes(unit));
}
