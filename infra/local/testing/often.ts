import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runMain, StartError } from '@session/kit';
import { sum, Total } from './total.ts';

const USAGE =
  'Usage: npm run test:often -- [<part of a path> …] [--times <20>] [--busy <4>] [--late <0>] [--project <tier>]';
const program = path.join(import.meta.dirname, 'run-tests.ts');
const lateWrites = pathToFileURL(path.join(import.meta.dirname, 'late-writes.mjs')).href;

// `npm run test:often`: runs tests repeatedly beside loops that only compute, and prints how often each test failed. With `--late`,
// delays what processes of Node send over TCP by up to that many milliseconds.
await runMain(async (stop) => {
  const { args, times, busy, late } = readOptions(process.argv.slice(2));
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'often-'));
  stack.defer(() => rm(folder, { recursive: true }));
  for (let count = 0; count < busy; count += 1) {
    const loop = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    stack.defer(() => void loop.kill('SIGKILL'));
  }
  const env = { ...process.env, TEST_TOTALS: folder };
  if (late > 0) {
    Object.assign(env, {
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import=${lateWrites}`,
      LATE_WRITES_MS: String(late),
    });
  }
  let runs = 0;
  let broken = 0;
  while (runs < times && !stop.aborted) {
    runs += 1;
    const before = (await readdir(folder)).length;
    await runTests(args, env, stop);
    // A run that could begin writes a total at its end.
    if ((await readdir(folder)).length === before) broken += 1;
  }
  const { passed, failures } = await readTotal(folder);
  for (let count = 0; count < broken; count += 1) failures.push('a run without an end');
  // A failure is the name of its test, and then its error.
  const byTest = Map.groupBy(failures, (failure) => failure.split('\n', 1).join());
  for (const [name, failed] of byTest) {
    process.stdout.write(`\n${failed.length} of ${runs}: ${name}\n`);
    for (const error of new Set(failed)) process.stdout.write(`${error.slice(name.length)}\n`);
  }
  process.stdout.write(`\n${runs} runs: ${passed} passed, ${failures.length} failed\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
});

async function runTests(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  stop: AbortSignal,
): Promise<void> {
  const command = ['--conditions=@source', program, ...args];
  const child = spawn(process.execPath, command, { stdio: 'inherit', env });
  const end = () => child.kill('SIGTERM');
  stop.addEventListener('abort', end, { once: true });
  await once(child, 'exit');
  stop.removeEventListener('abort', end);
}

async function readTotal(folder: string): Promise<Total> {
  const names = await readdir(folder);
  const texts = names.map(async (name) => await readFile(path.join(folder, name), 'utf8'));
  return sum((await Promise.all(texts)).map((text) => Total.parse(JSON.parse(text))));
}

function readOptions(given: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: given,
      allowPositionals: true,
      options: {
        times: { type: 'string', default: '20' },
        busy: { type: 'string', default: '4' },
        late: { type: 'string', default: '0' },
        project: { type: 'string', multiple: true, default: [] },
      },
    });
    const { times, busy, late, project } = values;
    if ([times, busy, late].every((value) => /^\d{1,4}$/.test(value))) {
      const args = [...project.flatMap((tier) => ['--project', tier]), ...positionals];
      return { args, times: Number(times), busy: Number(busy), late: Number(late) };
    }
  } catch {
    // An unknown option ends like a wrong value.
  }
  throw new StartError(USAGE);
}
