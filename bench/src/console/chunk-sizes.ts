import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { StartError } from '@session/kit';
import { markdownTable } from '../measure/table.ts';

/** Files that are smaller share one row. */
const LARGE_BYTES = 3000;

/** A file of the built pages. */
interface Asset {
  /** Without the hash of its content. */
  readonly name: string;
  /** Compressed by gzip. */
  readonly sizeBytes: number;
  /** The files that are loaded together with it. */
  readonly imports: readonly string[];
}

/** Returns the compressed sizes of the pages in `folder`: of what is loaded together, and of each file. */
export async function chunkSizes(folder: string): Promise<string> {
  const assets = await readAssets(path.join(folder, 'assets'));
  const html = await readFile(path.join(folder, 'index.html'), 'utf8');
  const entry = loadedWith(assets, /src="\/assets\/([^"]+)"/.exec(html)?.[1]);
  const fileOf = (name: string) => [...assets].find(([, asset]) => asset.name === name)?.[0];
  const session = loadedWith(assets, fileOf('session-page.js'));
  const sorted = [...assets.values()].toSorted((a, b) => b.sizeBytes - a.sizeBytes);
  const large = sorted.filter(({ sizeBytes }) => sizeBytes >= LARGE_BYTES);
  const rows = [
    ['entry', kB([...entry])],
    ['page of a session, beyond the entry', kB([...session].filter((asset) => !entry.has(asset)))],
    ...large.map((asset) => [`\`${asset.name}\``, kB([asset])]),
    [`${sorted.length - large.length} smaller files, together`, kB(sorted.slice(large.length))],
  ];
  return markdownTable(['pages', 'gz'], rows);
}

async function readAssets(folder: string): Promise<Map<string, Asset>> {
  const assets = new Map<string, Asset>();
  for (const file of await readdir(folder)) {
    if (!/\.(js|css|woff2)$/.test(file)) continue;
    const content = await readFile(path.join(folder, file));
    const code = file.endsWith('.js') ? content.toString() : '';
    assets.set(file, {
      name: file.replace(/-[\w-]{8}(?=\.\w+$)/, ''),
      // A font is compressed already.
      sizeBytes: file.endsWith('.woff2') ? content.length : gzipSync(content).length,
      imports: [...code.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)].map(([, name = '']) => name),
    });
  }
  return assets;
}

function loadedWith(assets: ReadonlyMap<string, Asset>, file: string | undefined): Set<Asset> {
  if (file === undefined || !assets.has(file)) throw new StartError('A chunk is missing.');
  const found = new Set<Asset>();
  const visit = (name: string) => {
    const asset = assets.get(name);
    if (!asset || found.has(asset)) return;
    found.add(asset);
    for (const next of asset.imports) visit(next);
  };
  visit(file);
  return found;
}

function kB(assets: readonly Asset[]): string {
  const bytes = assets.reduce((total, { sizeBytes }) => total + sizeBytes, 0);
  return `${(bytes / 1000).toFixed(1)} kB`;
}
