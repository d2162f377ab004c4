/** The entries of the SDK: `@session/client`, `@session/client/browser` and so on. */
export const ENTRIES = ['index', 'admin', 'browser', 'node', 'react'] as const;

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const NODE_PEER = '@livekit/rtc-node';

/**
 * Returns the package.json of the tarball. What an entry needs is an optional peer. `media`: the manifest of the package
 * that the Node entry contains.
 */
export function manifestOf({ name, version, peerDependencies }: Manifest, media: Manifest) {
  const entries = ENTRIES.map((entry) => [
    entry === 'index' ? '.' : `./${entry}`,
    { types: `./dist/${entry}.d.ts`, default: `./dist/${entry}.js` },
  ]);
  const peers = { ...peerDependencies, [NODE_PEER]: media.dependencies?.[NODE_PEER] };
  return {
    name,
    version,
    description: 'Client of the Conversation Session Service',
    type: 'module',
    exports: Object.fromEntries(entries),
    files: ['dist'],
    sideEffects: false,
    engines: { node: '>=22' },
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(
      Object.keys(peers).map((peer) => [peer, { optional: true }]),
    ),
  };
}
