import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Mutant, type MutatedFile, mutantsOf, mutate } from './mutant.ts';
import { allMutants } from './mutants/all-mutants.ts';

const TIMEOUT_MS = 180_000;
const program = path.join(import.meta.dirname, '../testing/mutation-worker.ts');

// `npm --prefix infra/tools run mutants`: runs tests with one fault of the list after the other, and prints how many they notice.
const { values, positionals: parts } = parseArgs({
  allowPositionals: true,
  options: { root: { type: 'string', default: path.resolve(import.meta.dirname, '../../..') } },
});
const root = path.resolve(values.root);
interface Outcome {
  readonly file: string;
  readonly isKilled: boolean;
}
const outcomes: Outcome[] = [];

const files = allMutants.filter(
  ({ file }) => parts.length === 0 || parts.some((part) => file.includes(part)),
);
const queue = files.values();
await Promise.all(Array.from({ length: availableParallelism() }, () => work(queue)));
printShares();

/** Tries the mutants of one file after another, in one worker as long as it answers. */
async function work(queued: Iterable<MutatedFile>): Promise<void> {
  let worker = start();
  const failuresOf = async (tests: readonly string[], mutant: Mutant | null) => {
    if (isOver(worker)) worker = start();
    return await ask(worker, { tests, mutant });
  };
  for (const mutated of queued) {
    const mutants = mutantsOf([mutated]).filter(isPossible);
    const tests = mutants[0]?.tests.filter((test) => existsSync(path.join(root, test))) ?? [];
    const passes = async (when: string) => {
      // Another checkout may have no test for the file: there each of its mutants survives.
      if (tests.length === 0) return true;
      const failures = await failuresOf(tests, null);
      if (failures.length === 0) return true;
      print(`${mutated.file}: its tests fail ${when}: ${failures.join('; ')}`);
      process.exitCode = 1;
      return false;
    };
    if (!(await passes('without a mutant'))) continue;
    const tried: Outcome[] = [];
    for (const mutant of mutants) {
      const isKilled = tests.length > 0 && (await failuresOf(tests, mutant)).length > 0;
      tried.push({ file: mutant.file, isKilled });
      if (!isKilled) print(`survived: ${nameOf(mutant)}`);
    }
    // A server that a mutant has broken would kill each mutant after it.
    if (await passes('after its mutants, which do not count')) outcomes.push(...tried);
  }
  if (!isOver(worker)) worker.disconnect();
}

function isOver({ exitCode, signalCode, connected }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || !connected;
}

function start(): ChildProcess {
  // In its own process group, so that its workers end with it. When this process ends, the worker stops its servers and ends.
  const worker = fork(program, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return worker;
}

/** Returns what failed. A worker that does not answer in time is killed. */
async function ask(
  worker: ChildProcess,
  question: { readonly tests: readonly string[]; readonly mutant: Mutant | null },
): Promise<readonly string[]> {
  const timer = setTimeout(() => kill(worker), TIMEOUT_MS);
  worker.send(question);
  const over = new AbortController();
  const { signal } = over;
  try {
    const answer = once(worker, 'message', { signal }).then(([failures]) => failures);
    return await Promise.race([answer, once(worker, 'exit', { signal }).then(() => ['no answer'])]);
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** Returns whether the file has the text once, which another checkout may lack, and is still TypeScript with the fault. */
function isPossible(mutant: Mutant): boolean {
  try {
    stripTypeScriptTypes(mutate(readFileSync(path.join(root, mutant.file), 'utf8'), mutant));
    return true;
  } catch (error) {
    print(`skipped: ${nameOf(mutant)}: ${String(error)}`);
    process.exitCode = 1;
    return false;
  }
}

function printShares(): void {
  const byPackage = Map.groupBy(outcomes, ({ file }) => file.split('/', 2).join('/'));
  for (const [name, all] of byPackage) {
    print(`${name}: ${all.filter(({ isKilled }) => isKilled).length} of ${all.length} killed`);
  }
  const killed = outcomes.filter(({ isKilled }) => isKilled).length;
  print(`${killed} of ${outcomes.length} mutants killed`);
  if (killed < outcomes.length || outcomes.length === 0) process.exitCode = 1;
}

function kill({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

function nameOf({ file, text, replacement }: Mutant): string {
  return `${file}: ${JSON.stringify(text)} → ${JSON.stringify(replacement)}`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
