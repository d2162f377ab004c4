import path from 'node:path';
import { build, type Plugin } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { ENTRIES } from './manifest.ts';

/** What the SDK's users install themselves. */
const PEERS = ['livekit-client', 'react', '@livekit/rtc-node'];

/** Warnings are errors: an unknown import would stay, and fail on the user's machine. Only a slow build is not an error. */
const STRICT = { onLog: refuseWarnings, checks: { bundlerTimings: false } };

/** Declares `AsyncDisposable` for projects whose own `lib` is older. */
const LIBRARY = '/// <reference lib="esnext.disposable" />';

/** Writes the JavaScript of all entries. What entries share is in chunks of their own. */
export async function bundleCode(root: string, folder: string): Promise<void> {
  const packages = path.join(root, 'packages');
  const { output } = await build({
    input: inputs((entry) => path.join(packages, 'client/src', `${entry}.ts`)),
    platform: 'neutral',
    external: [...PEERS, /^node:/],
    resolve: { conditionNames: ['@source', 'import', 'default'] },
    ...STRICT,
    output: { dir: folder, format: 'esm', chunkFileNames: 'chunks/[name].js' },
  });
  const chunks = output.filter((part) => part.type === 'chunk');
  const written = chunks.flatMap(({ modules }) => Object.entries(modules));
  const foreign = written.filter(
    ([file, { renderedLength }]) => renderedLength > 0 && !file.startsWith(packages),
  );
  if (foreign.length > 0) throw new Error(`foreign code: ${foreign.map(([file]) => file).join()}`);
}

export async function bundleTypes(root: string, from: string, folder: string): Promise<void> {
  const packages = path.join(root, 'packages');
  await build({
    input: inputs((entry) => path.join(from, `${entry}.d.ts`)),
    external: PEERS,
    resolve: {
      alias: { '@session/contract/room': path.join(packages, 'contract/dist/room/index.d.ts') },
    },
    plugins: [
      onlyOurs(),
      dts({ dtsInput: true, emitDtsOnly: true, generator: 'oxc', tsconfig: false }),
    ],
    ...STRICT,
    output: { dir: folder, format: 'esm', chunkFileNames: 'chunks/[name].js', banner: LIBRARY },
  });
}

/** Refuses imports other than the peers and the contract's plain module. */
function onlyOurs(): Plugin {
  return {
    name: 'only-ours',
    resolveId(source, importer) {
      const isKnown = /^[./]/.test(source) || PEERS.includes(source);
      if (isKnown || source === '@session/contract/room') return;
      this.error(`${importer ?? 'an entry'} must not import ${source}: take shapes from shapes.ts`);
    },
  };
}

function inputs(fileOf: (entry: string) => string): Record<string, string> {
  return Object.fromEntries(ENTRIES.map((entry) => [entry, fileOf(entry)]));
}

function refuseWarnings(level: string, { message }: { readonly message: string }): void {
  if (level === 'warn') throw new Error(message);
}
