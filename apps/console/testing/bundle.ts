import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const folder = path.resolve(import.meta.dirname, '..');

export interface Chunk {
  readonly name: string;
  /** Compressed by gzip. */
  readonly sizeBytes: number;
  readonly modules: readonly string[];
  readonly imports: readonly string[];
}

export interface Bundle {
  readonly chunks: ReadonlyMap<string, Chunk>;
  readonly stylesBytes: number;
}

export async function buildPages(): Promise<Bundle> {
  const configFile = path.join(folder, 'vite.config.ts');
  const built = await build({
    configFile,
    root: path.join(folder, 'web'),
    build: { write: false },
  });
  const outputs: readonly Rolldown.RolldownOutput[] = [built]
    .flat()
    .filter((part) => 'output' in part);
  const files = outputs.flatMap(({ output }) => output);
  const chunks = new Map<string, Chunk>();
  let stylesBytes = 0;
  for (const file of files) {
    if (file.type === 'chunk') {
      const { fileName: name, moduleIds: modules, imports } = file;
      chunks.set(name, { name, sizeBytes: compressed(file.code), modules, imports });
    } else if (file.fileName.endsWith('.css')) {
      stylesBytes += compressed(file.source);
    }
  }
  return { chunks, stylesBytes };
}

export function loadedWith({ chunks }: Bundle, source: string): Set<Chunk> {
  const found = new Set<Chunk>();
  const visit = (chunk: Chunk | undefined) => {
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) visit(chunks.get(name));
  };
  const start = [...chunks.values()].find(({ modules }) =>
    modules.some((id) => id.endsWith(source)),
  );
  if (!start) throw new Error(`no chunk contains ${source}: was the file moved?`);
  visit(start);
  return found;
}

export function sizeOf(chunks: Iterable<Chunk>): number {
  return [...chunks].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

function compressed(content: string | Uint8Array): number {
  return gzipSync(content).length;
}
