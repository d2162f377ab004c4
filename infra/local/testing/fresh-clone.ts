import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { pause, runMain, StartError } from '@session/kit';
import { removePostgresHome } from '../src/postgres/home.ts';
import { readStackFile } from '../src/stack/stack-file.ts';
import { run } from '../src/supervision/tool.ts';

// The script `test:fresh`: tries what a user meets after cloning the repository. It clones the last commit to a new folder, with a
// home of its own, so that all caches are cold. It starts the stack there without a terminal, as this user and, if this is
// root, also as a normal user. It prints how long the stack took until it was ready, first cold and then warm. A
// `livekit-server` on the PATH is used; without it the time includes its download or build.

interface SystemUser {
  readonly name: string;
  /** The user of the programs; empty for the current user. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
  /** The clone is created here. */
  readonly parent: string;
}

const NOBODY = 65_534;
const READY_TIMEOUT_MS = 20 * 60_000;
const checkout = path.resolve(import.meta.dirname, '../../..');

await runMain(async (stop) => {
  const lines: string[] = [];
  for (const user of users()) lines.push(await tryAs(user, stop));
  process.stdout.write(`\n${lines.join('\n')}\n`);
});

function users(): SystemUser[] {
  if (process.getuid?.() !== 0) return [{ name: 'this user', ids: {}, parent: tmpdir() }];
  return [
    // Root keeps its checkouts here, where the user that runs PostgreSQL cannot enter.
    { name: 'root', ids: {}, parent: homedir() },
    { name: 'a normal user', ids: { uid: NOBODY, gid: NOBODY }, parent: tmpdir() },
  ];
}

/** Returns the line of the result. Throws a StartError when the stack does not get ready, or does not stop. */
async function tryAs({ name, ids, parent }: SystemUser, stop: AbortSignal): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(parent, 'fresh-clone-')));
  const clone = path.join(folder, 'clone');
  const stackFolder = path.join(clone, '.local');
  const home = path.join(folder, 'home');
  try {
    await chmod(folder, 0o755);
    await mkdir(home);
    await run('git', ['clone', '--quiet', checkout, clone], { stop });
    if (ids.uid !== undefined) await run('chown', ['-R', `${ids.uid}:${ids.gid}`, folder]);
    const options = { cwd: clone, env: freshEnvironment(home), ...ids };
    const cold = await timeStart(stackFolder, options, stop);
    const warm = await timeStart(stackFolder, options, stop);
    return `${name}: ready after ${cold} s cold, ${warm} s warm`;
  } finally {
    await removePostgresHome(path.join(stackFolder, 'postgres'));
    // Go's cache of modules is read-only.
    await run('chmod', ['-R', 'u+w', folder]);
    await rm(folder, { recursive: true });
  }
}

/** Returns this environment without the values of our home, checkout or npm. Addresses of proxies and registries stay. */
function freshEnvironment(home: string): NodeJS.ProcessEnv {
  const own =
    /^(npm_(?!config_registry$)|XDG_|GO(PATH|CACHE|MODCACHE)$|STACK_DIR$|NODE$|NODE_COMPILE_CACHE$)/;
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name));
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const PATH = folders.filter((folder) => !folder.startsWith(checkout)).join(path.delimiter);
  return { ...Object.fromEntries(kept), HOME: home, PATH, PORT: '0', CONSOLE_PORT: '0' };
}

/** Starts the stack in `cwd`, and stops it with Ctrl-C when it is ready. Returns the seconds until then. */
async function timeStart(
  stackFolder: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly uid?: number },
  stop: AbortSignal,
): Promise<string> {
  const began = performance.now();
  // A process group of its own, which gets the Ctrl-C like that of a terminal. Nobody answers questions.
  const child = spawn('npm', ['start', '--silent'], {
    ...options,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const exit = once(child, 'exit');
  const interrupt = () => process.kill(-(child.pid ?? 0), 'SIGINT');
  try {
    await untilReady(stackFolder, exit, stop);
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    interrupt();
    const [code] = await exit;
    if (code !== 0) throw new StartError(`It did not stop cleanly (code ${code}).`);
    return seconds;
  } catch (error) {
    if (child.exitCode === null) interrupt();
    await exit;
    throw error;
  }
}

async function untilReady(
  folder: string,
  exit: Promise<unknown>,
  stop: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  void exit.then(() => ended.abort());
  const signal = AbortSignal.any([ended.signal, stop, AbortSignal.timeout(READY_TIMEOUT_MS)]);
  while (!(await readStackFile(folder))) {
    if (!(await pause(50, signal))) throw new StartError('The stack did not get ready.');
  }
}
