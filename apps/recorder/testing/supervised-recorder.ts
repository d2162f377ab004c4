import { once } from 'node:events';
import { type RecorderProcess, startRecorderProcess } from './recorder-process.ts';

/** Keeps a recorder running as a supervisor does: starts it again whenever it ends. Resolves when it runs. */
export async function superviseRecorder(env: NodeJS.ProcessEnv): Promise<AsyncDisposable> {
  const ending = new AbortController();
  let running: RecorderProcess = await startRecorderProcess(env);
  const supervising = (async () => {
    while (!ending.signal.aborted) {
      const { child } = running;
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await running[Symbol.asyncDispose]();
      if (!ending.signal.aborted) running = await startRecorderProcess(env);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      running.child.kill('SIGKILL');
      await supervising;
      await running[Symbol.asyncDispose]();
    },
  };
}
