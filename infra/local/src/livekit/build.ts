import { rename } from 'node:fs/promises';
import path from 'node:path';
import type { Note } from '../supervision/progress.ts';
import { run } from '../supervision/tool.ts';
import { LIVEKIT } from './release.ts';

/** Builds `livekit-server` in two to four minutes. Throws when Go is missing or too old, and when the build fails. */
export async function buildLivekit(
  folder: string,
  options: {
    readonly env: NodeJS.ProcessEnv;
    readonly stop: AbortSignal;
    readonly note: Note;
    readonly onSpawn: (pid: number) => Promise<void>;
  },
): Promise<void> {
  const { env, stop, note, onSpawn } = options;
  await checkGo(env);
  let count = 0;
  await run('go', ['install', '-v', `${LIVEKIT.module}@v${LIVEKIT.version}`], {
    env: { ...env, GOBIN: folder },
    stop,
    onSpawn,
    onOutput(text) {
      count += text.split('\n').length - 1;
      note(`${count} packages`);
    },
  });
  // Go names the program after its package.
  await rename(path.join(folder, 'server'), path.join(folder, 'livekit-server'));
}

async function checkGo(env: NodeJS.ProcessEnv): Promise<void> {
  const said = await run('go', ['version'], { env }).catch(() => {
    throw new Error('there is no Go on the PATH');
  });
  const [, major = '0', minor = '0'] = /go(\d+)\.(\d+)/.exec(said) ?? [];
  const [oldestMajor, oldestMinor] = LIVEKIT.oldestGo;
  if (Number(major) === oldestMajor && Number(minor) < oldestMinor) {
    throw new Error(
      `Go ${oldestMajor}.${oldestMinor} or newer is needed, and the Go on the PATH is ${major}.${minor}`,
    );
  }
}
