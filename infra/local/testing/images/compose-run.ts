import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runMain } from '@session/kit';
import { disposeSdk } from '@session/media';
import * as z from 'zod';
import { runDemo } from '../../src/demo/run.ts';
import { plainProgress } from '../../src/supervision/progress.ts';
import { run } from '../../src/supervision/tool.ts';
import { beginNetwork } from './cluster-network.ts';
import { PATIENCE_MS, patiently } from './patiently.ts';

/** The argument that `compose.images.test.ts` passes. */
const Settings = z.object({
  program: z.string(),
  folder: z.string(),
});

/** Where the plugins of networks note the addresses in use. */
const ADDRESSES = '/var/lib/cni';
const API_URL = 'http://127.0.0.1:3000';
const CONSOLE_URL = 'http://127.0.0.1:3001';
const progress = plainProgress((text) => process.stderr.write(text));

// Runs the compose file in namespaces of its own, and writes the result to `result.json` in the folder.
await runMain(async (stop) => {
  const { program, folder } = Settings.parse(JSON.parse(process.argv[2] ?? '{}'));
  await beginNetwork();
  // These containers have a network of their own, so the machine's list of addresses does not apply.
  await mkdir(ADDRESSES, { recursive: true });
  await run('mount', ['-t', 'tmpfs', 'tmpfs', ADDRESSES]);
  const compose = async (...args: readonly string[]) => await run(program, args, { cwd: folder });
  await using end = new AsyncDisposableStack();
  end.defer(disposeSdk);
  end.defer(async () => void (await compose('down', '--volumes', '--timeout=40')));
  await progress.during('Starting the parts', () => compose('up', '--detach', '--no-build'));
  try {
    await patiently(() => answers(`${API_URL}/health`));
    await patiently(() => answers(`${CONSOLE_URL}/health`));
    const demo = await runDemo({ apiUrl: API_URL, progress, waitMs: PATIENCE_MS, stop });
    await writeFile(path.join(folder, 'result.json'), JSON.stringify({ demo }));
  } catch (error) {
    const parts = ['postgres', 'livekit', 'api', 'recorder'];
    for (const args of [['ps'], ...parts.map((part) => ['logs', '--tail=10', part])])
      process.stderr.write(await compose(...args).catch(String));
    throw error;
  }
});

async function answers(url: string): Promise<boolean> {
  return (await fetch(url).catch(() => undefined))?.status === 200;
}
