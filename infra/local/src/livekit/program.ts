import { constants, existsSync } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { hasCode, pause, StartError } from '@session/kit';
import { ProcessTable } from '../supervision/process-table.ts';
import type { Progress } from '../supervision/progress.ts';
import { run } from '../supervision/tool.ts';
import { buildLivekit } from './build.ts';
import { downloadLivekit, LIVEKIT } from './release.ts';

export interface LivekitRequest {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: AbortSignal;
  readonly progress: Progress;
  readonly releases?: string;
}

const PROGRAM = 'livekit-server';
const POLL_MS = 250;
const GO_STOP = { signal: 'SIGTERM', patienceMs: 5000 } as const;

/**
 * Returns a `livekit-server`: from the PATH, otherwise from the cache, otherwise a downloaded release or a build with Go.
 * If several processes need it at the same time, one provides it and the others wait. Throws a StartError that says what
 * the user can do.
 */
export async function provideLivekit(request: LivekitRequest): Promise<string> {
  const { env, stop, progress } = request;
  const installed = await findOnPath(env['PATH']);
  if (installed) {
    await checkItRuns(installed, progress);
    return installed;
  }
  const cache = path.join(
    env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache'),
    'session-service',
  );
  const folder = path.join(cache, `livekit-${LIVEKIT.version}-${process.platform}-${process.arch}`);
  const program = path.join(folder, PROGRAM);
  if (existsSync(program)) return program;
  const explain = explainUnwritable(cache);
  await mkdir(cache, { recursive: true }).catch(explain);
  await progress.during(`Getting LiveKit ${LIVEKIT.version} (once, some minutes)`, async (note) => {
    await using lock = await claim(`${folder}.lock`, program, stop).catch(explain);
    if (lock) await fill(folder, lock, { ...request, note });
  });
  return program;
}

function explainUnwritable(cache: string): (error: unknown) => never {
  return (cause) => {
    if (!['EACCES', 'EPERM', 'EROFS'].some((code) => hasCode(cause, code))) throw cause;
    throw new StartError(
      `${cache} cannot be written: set XDG_CACHE_HOME to another folder, or put ${PROGRAM} on the PATH.`,
      { cause },
    );
  };
}

async function findOnPath(list = ''): Promise<string | undefined> {
  for (const folder of list.split(path.delimiter).filter((entry) => path.isAbsolute(entry))) {
    const file = path.join(folder, PROGRAM);
    const isProgram = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return file;
  }
  return undefined;
}

async function checkItRuns(program: string, { say }: Progress): Promise<void> {
  const version = await run(program, ['--version']).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      `${program} does not run on this machine (${reason}): replace it, or remove it from the PATH.`,
    );
  });
  if (!version.includes(LIVEKIT.version)) {
    say(`${program} is not version ${LIVEKIT.version}, which this service was tested with.`);
  }
}

/** Returns the lock for providing `program`; undefined when another process has provided it meanwhile. */
async function claim(
  file: string,
  program: string,
  stop: AbortSignal,
): Promise<ProcessTable | undefined> {
  while (!existsSync(program)) {
    const table = await ProcessTable.claim(file);
    if (table && !existsSync(program)) return table;
    await table?.[Symbol.asyncDispose]();
    if (!(await pause(POLL_MS, stop))) stop.throwIfAborted();
  }
  return undefined;
}

async function fill(
  folder: string,
  lock: ProcessTable,
  { env, stop, note, releases }: LivekitRequest & { readonly note: (detail: string) => void },
): Promise<void> {
  const draft = `${folder}.draft`;
  const sources = {
    'the release': () => downloadLivekit(draft, stop, releases),
    'the build': () =>
      buildLivekit(draft, { env, stop, note, onSpawn: (pid) => lock.set('go', pid, GO_STOP) }),
  };
  const failures: string[] = [];
  for (const [name, provide] of Object.entries(sources)) {
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft);
    try {
      await provide();
      await rename(draft, folder);
      return;
    } catch (cause) {
      stop.throwIfAborted();
      failures.push(`  ${name}: ${reasonOf(cause)}`);
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }
  throw new StartError(
    [
      `There is no LiveKit server (${PROGRAM}) on the PATH, and it could be neither downloaded nor built:`,
      ...failures,
      `Either put ${PROGRAM} ${LIVEKIT.version} on the PATH, or install Go ${LIVEKIT.oldestGo.join('.')} or newer, which`,
      'builds it, or use your own server: set MEDIA_URL, MEDIA_API_KEY and MEDIA_API_SECRET.',
      ...(ignoresProxy(env) ? ['Behind a proxy, set NODE_USE_ENV_PROXY=1.'] : []),
    ].join('\n'),
  );
}

function ignoresProxy(env: NodeJS.ProcessEnv): boolean {
  const hasProxy = Object.keys(env).some((name) => /^https?_proxy$/i.test(name) && env[name]);
  return hasProxy && env['NODE_USE_ENV_PROXY'] !== '1';
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The message of a failed fetch says nothing; its cause does.
  const { message } = error.cause instanceof Error ? error.cause : error;
  return message.split('\n').slice(-3).join('\n    ');
}
