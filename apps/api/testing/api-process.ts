import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, programEnv, serviceProgram, testMedia } from '@session/testing';

export interface ApiProcess extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts the API in `folder`, with the `more` variables, and returns it when it is ready. */
export async function startApi(
  databaseUrl: string,
  folder: string,
  more: NodeJS.ProcessEnv = {},
): Promise<ApiProcess> {
  const port = await freePort('127.0.0.1');
  const media = testMedia();
  const api = spawn(process.execPath, [serviceProgram('api')], {
    env: {
      ...programEnv(),
      JWT_SECRET: 'a secret of the tests, 32 bytes or more',
      MEDIA_URL: media.url,
      MEDIA_API_KEY: media.apiKey,
      MEDIA_API_SECRET: media.apiSecret,
      DATABASE_URL: databaseUrl,
      AGENT_PROCESS_DIR: folder,
      PORT: String(port),
      LOG_LEVEL: 'warn',
      ...more,
    },
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const end = async (signal: NodeJS.Signals) => {
    if (api.exitCode !== null || api.signalCode !== null) return;
    const exit = once(api, 'exit');
    api.kill(signal);
    await exit;
  };
  const ended = once(api, 'exit').then(([code, signal]) => {
    throw new Error(`the API ended before it was ready: ${code ?? signal}`);
  });
  await Promise.race([once(api, 'message'), ended]);
  const url = `http://127.0.0.1:${port}`;
  return { url, pid: api.pid ?? 0, end, [Symbol.asyncDispose]: () => end('SIGTERM') };
}
