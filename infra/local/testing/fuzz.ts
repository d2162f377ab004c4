import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { runMain, StartError } from '@session/kit';

// The script `fuzz`: sends as many requests generated from the API's document as the user wants, to the servers of the tests.

await runMain(async (stop) => {
  const { requests, seed } = readOptions(process.argv.slice(2));
  const env = { ...process.env, FUZZ_REQUESTS: requests, FUZZ_SEED: seed };
  const args = ['run', '--project', 'services', 'apps/api/src/http/fuzz.test.ts'];
  const child = spawn('vitest', args, { stdio: 'inherit', env });
  stop.addEventListener('abort', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
});

function readOptions(args: string[]): { readonly requests: string; readonly seed: string } {
  try {
    const { requests, seed } = parseArgs({
      args,
      options: {
        requests: { type: 'string', default: '10000' },
        seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      },
    }).values;
    if ([requests, seed].every((value) => /^\d{1,9}$/.test(value))) return { requests, seed };
  } catch {
    // An unknown option ends like a wrong value.
  }
  throw new StartError(
    'Usage: npm --prefix infra/local run fuzz [-- --requests <10000> --seed <any whole number>]',
  );
}
