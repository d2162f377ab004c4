import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { pause, runMain, StartError } from '@session/kit';
import { removePostgresHome } from '../src/postgres/home.ts';
import { readStackFile } from '../src/stack/stack-file.ts';
import { run } from '../src/supervision/tool.ts';

// `npm run test:fresh`: what someone meets who has just cloned the repository. It clones the last commit to a new folder,
// with a home of its own, so that all caches are cold; starts the stack there with nobody at the keyboard, as this user
// and, where this is root, as a normal one too; and prints how long it took until it was ready, cold and then warm. A
// `livekit-server` on the PATH is used; without it the time holds its download or build.

interface Person {
  readonly name: string;
  /** Whom the programs run as; empty for ourselves. */
  readonly ids: { readonly uid?: number; readonly gid?: number };
  /** Where the clone is made. */
  readonly parent: string;
}

const NOBODY = 65_534;
const PATIENCE_MS = 20 * 60_000;
const checkout = path.resolve(import.meta.dirname, '../../..');

await runMain(async (stop) => {
  const lines: string[] = [];
  for (const person of people()) lines.push(await tryAs(person, stop));
  process.stdout.write(`\n${lines.join('\n')}\n`);
});

function people(): Person[] {
  if (process.getuid?.() !== 0) return [{ name: 'this user', ids: {}, parent: tmpdir() }];
  return [
    // Where root keeps a checkout, and PostgreSQL's user cannot go.
    { name: 'root', ids: {}, parent: homedir() },
    { name: 'a normal user', ids: { uid: NOBODY, gid: NOBODY }, parent: tmpdir() },
  ];
}

/** Gives the line of the result; throws a StartError when the stack does not become ready, or does not stop. */
async function tryAs({ name, ids, parent }: Person, stop: AbortSignal): Promise<string> {
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

/** This environment without what comes from our own home, checkout or npm; addresses of proxies and registries stay. */
function freshEnvironment(home: string): NodeJS.ProcessEnv {
  const ours =
    /^(npm_(?!config_registry$)|XDG_|GO(PATH|CACHE|MODCACHE)$|STACK_DIR$|NODE$|NODE_COMPILE_CACHE$)/;
  const kept = Object.entries(process.env).filter(([name]) => !ours.test(name));
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const PATH = folders.filter((folder) => !folder.startsWith(checkout)).join(path.delimiter);
  return { ...Object.fromEntries(kept), HOME: home, PATH, PORT: '0' };
}

/** Starts the stack in `cwd`, stops it by Ctrl-C when it is ready, and gives the seconds until then. */
async function timeStart(
  stackFolder: string,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly uid?: number },
  stop: AbortSignal,
): Promise<string> {
  const began = performance.now();
  // A process group of its own, which gets the Ctrl-C as that of a terminal would; nobody answers questions.
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
  const signal = AbortSignal.any([ended.signal, stop, AbortSignal.timeout(PATIENCE_MS)]);
  while (!(await readStackFile(folder))) {
    if (!(await pause(50, signal))) throw new StartError('The stack did not become ready.');
  }
}
