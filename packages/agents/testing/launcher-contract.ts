import { deepEqual, equal, match } from 'node:assert/strict';
import type {
  AgentLauncher,
  AgentObservation,
  LaunchRequest,
  LogLine,
  LogQuery,
  Workload,
} from '../src/launcher.ts';

const END_TIMEOUT_MS = 60_000;
/** How many lines the program `count` prints. */
const COUNT = 30;
/** Ends when the IPC channel to the test closes, if there is one: a test run that is killed leaves no program behind. */
const forever = 'process.once("disconnect", () => process.exit()); setInterval(() => {}, 1000);';
const untilSigterm = `process.once("SIGTERM", () => process.exit(0)); ${forever}`;

/** The programs that a launcher under test must find by name, in JavaScript for Node. */
export const CONTRACT_PROGRAMS: Readonly<Record<string, string>> = {
  crash: 'console.log("first"); console.error("second"); process.exitCode = 3;',
  burst: 'for (let n = 0; n < 4000; n += 1) (n % 2 ? console.log : console.error)("line " + n);',
  obey: `${untilSigterm} console.log("pid " + process.pid, process.env.WORD);`,
  defy: `process.on("SIGTERM", () => {}); ${forever} console.log("up");`,
  farewell: `process.once("SIGTERM", () => { console.log("bye"); process.exit(0); }); ${forever} console.log("up");`,
  gorge: `${forever} const all = []; setInterval(() => all.length < 30 && all.push(Buffer.alloc(20_000_000, 1)), 20);`,
  count: `process.once("disconnect", () => process.exit()); let n = 0; setInterval(() => n < ${COUNT} ? console.log(n++) : process.exit(), 5);`,
};

/** What every launcher promises. Each check takes a launcher that runs nothing yet, and throws if the promise is broken. */
export const LAUNCHER_PROMISES: ReadonlyMap<string, (launcher: AgentLauncher) => Promise<void>> =
  new Map([
    ['changes are reported; later what exists, and then synced', reportsChanges],
    ['a program gets the environment of its launch', passesEnvironment],
    ['one program per workload, however often and whenever it is started', startsOnce],
    ['a stopped program may end by itself, and is kept until it is removed', stopsAndRemoves],
    ['a program that ignores SIGTERM is killed after its grace period', killsAfterGrace],
    ['a program that exceeds its memory limit is killed, with that cause', limitsMemory],
    ['stop and remove may be repeated, and do nothing for an absent agent', allowsRepetition],
    ['all lines of both streams are there when the end is reported', keepsAllLines],
    ['a log can be followed, resumed at any line, and read from its end', readsFromAnywhere],
    ['a follower receives the last lines of a program that is stopped', receivesLastLines],
    ['a follower ends with the program, or with its own signal', endsFollowers],
    ['an earlier workload of the agent changes nothing for the next one', separatesWorkloads],
  ]);

async function reportsChanges(launcher: AgentLauncher): Promise<void> {
  const seen = observeUntil(launcher, sees('a1', 'ended'));
  await launcher.start(launch('a1', 'crash'));
  const phases = (await seen).map((o) => (o.type === 'workload' ? o.workload.phase : o.type));
  // The program may run too briefly to be seen running.
  const ends = phases.filter((phase) => phase === 'ended' || phase === 'absent');
  deepEqual(ends, ['ended']);
  deepEqual(await existing(launcher), [
    { type: 'workload', workloadId: 'a1', workload: { phase: 'ended', exitCode: 3 } },
    { type: 'synced' },
  ]);
}

async function passesEnvironment(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'obey', { WORD: 'grün', EMPTY: '' }));
  const [line = ''] = await linesOf(launcher, { follow: true }, 1);
  match(line, /^pid \d+ grün$/);
  await launcher.stop('a1', 10);
}

async function startsOnce(launcher: AgentLauncher): Promise<void> {
  const again = launch('a1', 'obey', { WORD: 'once' });
  await Promise.all([1, 2, 3].map(() => launcher.start(again)));
  const followed = linesOf(launcher, { follow: true });
  await linesOf(launcher, { follow: true }, 1);
  await launcher.start(again);
  await launcher.stop('a1', 10);
  equal((await followed).length, 1);
  await observeUntil(launcher, sees('a1', 'ended'));
  await launcher.start(again);
  const workload = { phase: 'ended', exitCode: 0 };
  deepEqual(await existing(launcher), [
    { type: 'workload', workloadId: 'a1', workload },
    { type: 'synced' },
  ]);
}

async function stopsAndRemoves(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'obey'));
  await linesOf(launcher, { follow: true }, 1);
  const ended = observeUntil(launcher, sees('a1', 'ended'));
  await launcher.stop('a1', 30);
  const workload = { phase: 'ended', exitCode: 0 };
  deepEqual((await ended).at(-1), { type: 'workload', workloadId: 'a1', workload });
  await launcher.stop('a1', 30);
  deepEqual(await existing(launcher), [
    { type: 'workload', workloadId: 'a1', workload },
    { type: 'synced' },
  ]);
  const removed = observeUntil(launcher, sees('a1', 'absent'));
  await launcher.remove('a1');
  await removed;
  deepEqual(await linesOf(launcher), []);
  deepEqual(await existing(launcher), [{ type: 'synced' }]);
}

async function killsAfterGrace(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'defy'));
  await linesOf(launcher, { follow: true }, 1);
  await launcher.stop('a1', 0.1);
  const end = (await observeUntil(launcher, sees('a1', 'ended'))).at(-1);
  const workload = end?.type === 'workload' ? end.workload : undefined;
  equal(workload?.phase === 'ended' && workload.exitCode, 137);
}

async function limitsMemory(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'gorge'));
  const end = (await observeUntil(launcher, sees('a1', 'ended'))).at(-1);
  const workload = end?.type === 'workload' ? end.workload : undefined;
  const isEnded = workload?.phase === 'ended';
  deepEqual(isEnded && [workload.exitCode, workload.cause], [137, 'out_of_memory']);
}

async function allowsRepetition(launcher: AgentLauncher): Promise<void> {
  await launcher.stop('a1', 1);
  await launcher.remove('a1');
  await launcher.start(launch('a1', 'obey'));
  await launcher.remove('a1');
  await Promise.all([launcher.stop('a1', 10), launcher.stop('a1', 10)]);
  await observeUntil(launcher, sees('a1', 'ended'));
  await Promise.all([launcher.remove('a1'), launcher.remove('a1')]);
}

async function keepsAllLines(launcher: AgentLauncher): Promise<void> {
  const numbers = Array.from({ length: 4000 }, (_, index) => `line ${index}`);
  // Lines that are written at once, just before the exit, are those that could be missing.
  for (const id of ['a1', 'a2', 'a3', 'a4', 'a5']) {
    await launcher.start(launch(id, 'burst'));
    await observeUntil(launcher, sees(id, 'ended'));
    const lines = await linesOf(launcher, {}, numbers.length + 1, id);
    deepEqual(lines.toSorted(), numbers.toSorted());
  }
}

async function readsFromAnywhere(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'count'));
  const numbers = Array.from({ length: COUNT }, (_, index) => `${index}`);
  const first = await take(launcher, { follow: true }, 20);
  deepEqual(textsOf(first), numbers.slice(0, 20));
  const since = first.at(-1)?.at ?? 0;
  deepEqual(await linesOf(launcher, { follow: true, since }, 3), ['20', '21', '22']);
  await observeUntil(launcher, sees('a1', 'ended'));
  deepEqual(await linesOf(launcher, { since }), numbers.slice(20));
  deepEqual(await linesOf(launcher, { follow: true }), numbers);
  deepEqual(await linesOf(launcher, { tail: 2 }), numbers.slice(-2));
}

async function receivesLastLines(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'farewell'));
  const followed = linesOf(launcher, { follow: true });
  await linesOf(launcher, { follow: true }, 1);
  await launcher.stop('a1', 30);
  deepEqual(await followed, ['up', 'bye']);
}

async function endsFollowers(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'obey'));
  const abort = new AbortController();
  const followed = linesOf(launcher, { follow: true });
  let count = 0;
  for await (const _ of launcher.logs('a1', { follow: true, signal: abort.signal })) {
    count += 1;
    abort.abort();
  }
  equal(count, 1);
  await launcher.stop('a1', 10);
  equal((await followed).length, 1);
}

async function separatesWorkloads(launcher: AgentLauncher): Promise<void> {
  await launcher.start(launch('a1', 'crash'));
  await observeUntil(launcher, sees('a1', 'ended'));
  // Starts the second workload while the first one exists.
  await launcher.start(launch('a1-1', 'farewell', { WORD: 'next' }));
  const followed = linesOf(launcher, { follow: true }, undefined, 'a1-1');
  await linesOf(launcher, { follow: true }, 1, 'a1-1');
  deepEqual((await linesOf(launcher)).toSorted(), ['first', 'second']);
  await launcher.stop('a1', 1);
  const removed = observeUntil(launcher, sees('a1', 'absent'));
  await launcher.remove('a1');
  await removed;
  deepEqual(await existing(launcher), [
    { type: 'workload', workloadId: 'a1-1', workload: { phase: 'running' } },
    { type: 'synced' },
  ]);
  // Starts a third workload while the second one is being stopped.
  const ended = observeUntil(launcher, sees('a1-1', 'ended'));
  await launcher.stop('a1-1', 30);
  await launcher.start(launch('a1-2', 'obey'));
  await ended;
  deepEqual(await followed, ['up', 'bye']);
  await launcher.remove('a1-1');
  match((await linesOf(launcher, { follow: true }, 1, 'a1-2'))[0] ?? '', /^pid /);
  deepEqual((await phasesOf(launcher)).get('a1-2'), 'running');
  await launcher.stop('a1-2', 10);
}

async function phasesOf(launcher: AgentLauncher): Promise<Map<string, Workload['phase']>> {
  const seen = await existing(launcher);
  return new Map(
    seen.flatMap((o) => (o.type === 'workload' ? [[o.workloadId, o.workload.phase]] : [])),
  );
}

function launch(
  workloadId: string,
  program: string,
  env: Record<string, string> = {},
): LaunchRequest {
  const resources = { cpu: ['50m', '1'], memory: ['64Mi', '256Mi'] } as const;
  const texts = { name: program, title: program, description: program, image: program };
  const reads = { conversation: 'none', variables: [] } as const;
  const role = { ...texts, ...reads, program, resources, restart: 'never' } as const;
  return {
    workloadId,
    agentId: 'a1',
    sessionId: 's1',
    projectId: 'p1',
    role,
    templateVariables: {},
    env,
  };
}

type Condition = (observation: AgentObservation) => boolean;

function sees(workloadId: string, phase: Workload['phase']): Condition {
  return (o) => o.type === 'workload' && o.workloadId === workloadId && o.workload.phase === phase;
}

async function existing(launcher: AgentLauncher): Promise<AgentObservation[]> {
  return await observeUntil(launcher, ({ type }) => type === 'synced');
}

/** Returns all observations from now on, up to the first that fulfils `condition`. */
async function observeUntil(
  launcher: AgentLauncher,
  condition: Condition,
): Promise<AgentObservation[]> {
  const seen: AgentObservation[] = [];
  for await (const observation of launcher.observe(AbortSignal.timeout(END_TIMEOUT_MS))) {
    seen.push(observation);
    if (condition(observation)) return seen;
  }
  throw new Error(`not seen in ${END_TIMEOUT_MS} ms; seen: ${JSON.stringify(seen)}`);
}

async function take(
  launcher: AgentLauncher,
  query: LogQuery,
  atMost: number,
  workloadId = 'a1',
): Promise<LogLine[]> {
  const taken: LogLine[] = [];
  for await (const line of launcher.logs(workloadId, query)) {
    taken.push(line);
    if (taken.length >= atMost) break;
  }
  return taken;
}

async function linesOf(
  launcher: AgentLauncher,
  query: LogQuery = {},
  atMost = Number.POSITIVE_INFINITY,
  workloadId = 'a1',
): Promise<string[]> {
  return textsOf(await take(launcher, query, atMost, workloadId));
}

function textsOf(lines: readonly LogLine[]): string[] {
  return lines.map(({ line }) => line);
}
