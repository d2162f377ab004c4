const OPTIONAL_FLAGS: readonly (readonly [flag: string, argument: string])[] = [
  // From Node 25 on the permission model also refuses the network.
  ['--allow-net', '--allow-net'],
  // The permission model does not limit SQLite, which wrote files in any folder (tried with Node 24.21).
  ['--experimental-sqlite', '--no-experimental-sqlite'],
];

/**
 * Returns Node's arguments for a program that may read only `folders`, so neither `/proc` nor secrets. The program may write
 * no file, and start no process or worker, which could drop these limits. The media client, a native add-on, is not limited,
 * and a program that could write a file could load another add-on. So no folder is writable, not even for the compile cache.
 */
export function permissionArguments(
  folders: readonly string[],
  knownFlags: ReadonlySet<string> = process.allowedNodeEnvironmentFlags,
): string[] {
  return [
    '--permission',
    '--allow-addons',
    // A signal could start the debugger, which obeys anyone who connects to it.
    '--disable-sigusr1',
    // With flags of V8, a program could write any file. Setting one ends the program instead.
    '--freeze-flags-after-init',
    // The warnings about add-ons and --allow-net would be the first lines of each agent's log.
    '--disable-warning=PERM0001',
    '--disable-warning=ExperimentalWarning',
    ...OPTIONAL_FLAGS.flatMap(([flag, argument]) => (knownFlags.has(flag) ? [argument] : [])),
    ...folders.map((folder) => `--allow-fs-read=${folder}`),
  ];
}
