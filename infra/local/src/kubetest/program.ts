import path from 'node:path';
import { StartError } from '@session/kit';
import type { Progress } from '../supervision/progress.ts';
import { run } from '../supervision/tool.ts';

const script = path.resolve(import.meta.dirname, '../../../kubetest/build.sh');

/** Builds the program if its source has changed; the first build takes minutes. Throws a StartError with Go's last output. */
export async function provideKubetest(env: NodeJS.ProcessEnv, progress: Progress): Promise<string> {
  const what = 'Building the test cluster (once, 5 to 10 minutes)';
  return await progress.during(what, async (note) => {
    let count = 0;
    const onOutput = (text: string) => {
      count += text.split('\n').length - 1;
      note(`${count} packages`);
    };
    const output = await run('sh', [script], { env, onOutput }).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new StartError(`The test cluster could not be built:\n${reason}`, { cause });
    });
    return output.trimEnd().split('\n').at(-1) ?? '';
  });
}
