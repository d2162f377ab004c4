import path from 'node:path';
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
  /** From top to bottom: folders, files without their ending, or `ROOT`. Each imports only from layers below its own. */
  readonly layers: readonly (readonly string[])[];
  /** Files whose types (`import type`) every layer may import. */
  readonly typesForAll?: readonly string[];
}

export type FolderOrders = Readonly<Record<string, FolderOrder>>;

export function checkFolderOrder({ packages }: Repository, orders: FolderOrders): Fault[] {
  return packages.flatMap((workspacePackage) => {
    const { folder } = workspacePackage;
    const others = Object.keys(orders).filter((sources) => path.posix.dirname(sources) === folder);
    return [...new Set([`${folder}/src`, ...others])].flatMap((sources) =>
      checkSources(workspacePackage, sources, orders[sources] ?? { layers: [[ROOT]] }),
    );
  });
}

function checkSources(
  { folder, files }: WorkspacePackage,
  sources: string,
  order: FolderOrder,
): Fault[] {
  const checked = files.filter(
    (file) => !isForTests(file.path, folder) && file.path.startsWith(`${sources}/`),
  );
  return [
    ...missingUnits(sources, checked, order),
    ...checked.flatMap((file) => checkFile(sources, file, order)),
  ];
}

function missingUnits(
  sources: string,
  files: readonly SourceFile[],
  { layers }: FolderOrder,
): Fault[] {
  const listed = layers.flat();
  const present = new Set(files.map((file) => unitOf(file.path, sources, listed)));
  const list = { path: 'infra/tools/src/folder-orders.ts', line: 1 };
  return [
    ...[...present]
      .filter((unit) => !listed.includes(unit))
      .map((unit) => ({
        ...list,
        advice: `Give ${nameOf(unit)} a layer in the order of ${sources}.`,
      })),
    ...listed
      .filter((unit) => !present.has(unit))
      .map((unit) => ({
        ...list,
        advice: `Remove ${nameOf(unit)} from the order of ${sources}: it has no such file or folder.`,
      })),
  ];
}

function checkFile(sources: string, file: SourceFile, order: FolderOrder): Fault[] {
  const listed = order.layers.flat();
  const from = unitOf(file.path, sources, listed);
  if (!listed.includes(from)) return [];
  return importsOf(file).flatMap(({ target, line, isTypeOnly }) => {
    if (!target.startsWith(`${sources}/`)) return [];
    const to = unitOf(target, sources, listed);
    if (to === from || (isTypeOnly && order.typesForAll?.includes(to))) return [];
    if (!listed.includes(to) || layerOf(to, order) > layerOf(from, order)) return [];
    const advice = `Do not import ${nameOf(to)} from ${nameOf(from)}: the order in infra/tools/src/folder-orders.ts forbids it.`;
    return [{ path: file.path, line, advice }];
  });
}

function unitOf(file: string, sources: string, listed: readonly string[]): string {
  const [top = '', ...rest] = file.slice(`${sources}/`.length).split('/');
  if (rest.length > 0) return top;
  const name = top.replace(/\.tsx?$/, '');
  return listed.includes(name) ? name : ROOT;
}

function nameOf(unit: string): string {
  return unit === ROOT ? 'the root files' : unit;
}

function layerOf(unit: string, { layers }: FolderOrder): number {
  return layers.findIndex((layer) => layer.includes(unit));
}
