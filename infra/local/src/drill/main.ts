import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { loadEnvFile, runMain, StartError } from '@session/kit';
import { disposeSdk } from '@session/media';
import { loadConfig } from '../config.ts';
import { INSTALL_PROMETHEUS, isPrometheusInstalled } from '../monitoring/prometheus.ts';
import { ProcessTable } from '../supervision/process-table.ts';
import { type Drill, drillName } from './drill.ts';
import { startDrillStack } from './drill-stack.ts';
import { DRILLS } from './drills.ts';
import { runDrill } from './run-drill.ts';

/** Alerts that fire after minutes then fire after seconds. */
const SPEED = 20;
const root = path.resolve(import.meta.dirname, '../../../..');
const USAGE = 'Usage: npm run drill -- <name> [--real-times]';

const print = (line: string) => {
  process.stdout.write(`${line}\n`);
};

await runMain(async (stop) => {
  const { name, isReal } = readArguments(process.argv.slice(2));
  if (name === undefined) {
    print(`${USAGE}\n\n${list()}`);
    return;
  }
  const drill = DRILLS.find((one) => drillName(one) === name);
  if (!drill) throw new StartError(`There is no drill ${name}. There are:\n\n${list()}`);
  loadEnvFile();
  if (!(await isPrometheusInstalled(process.env)))
    throw new StartError(`A drill shows its alert by Prometheus: ${INSTALL_PROMETHEUS}.`);
  try {
    await rehearse(drill, isReal ? 1 : SPEED, stop);
  } finally {
    await disposeSdk();
  }
});

/** Runs a drill on a stack of its own, below the folder of the user's stack. */
async function rehearse(drill: Drill, speed: number, stop: AbortSignal): Promise<void> {
  const folder = path.join(loadConfig(process.env, root).folder, 'drill');
  await mkdir(folder, { recursive: true });
  await using parts = new AsyncDisposableStack();
  const table = await ProcessTable.claim(path.join(folder, 'drill.json'));
  if (!table) throw new StartError('Another drill is running: try again when it has ended.');
  parts.use(table);
  print('Starting a stack of its own …');
  const env = { ...drill.env, MONITORING_SPEED: String(speed) };
  const stack = parts.use(await startDrillStack(folder, env, stop));
  parts.defer(() => print('Stopping the stack …'));
  print(`Prometheus: ${stack.prometheusUrl}/alerts`);
  const began = performance.now();
  const after = () => `${((performance.now() - began) / 1000).toFixed(0)} s`;
  const fired = await runDrill(stack, drill, {
    broken: () => print(`\nBroken:  ${drill.breaks} Waiting for the alert ${drill.alert} …`),
    async fires({ annotations, labels }) {
      print(`Alert:   ${labels.alertname} (${labels.severity}) after ${after()}`);
      print(`         ${annotations.summary}\n         ${annotations.runbook_url}`);
      print(`Mend:    ${drill.mends}`);
      if (process.stdin.isTTY) await pressEnter(stop);
      print('         Mending, and waiting until no alert is left …');
    },
  });
  print(`Mended:  no alert fires after ${after()}. Alerts of this drill: ${fired.join(', ')}`);
}

async function pressEnter(stop: AbortSignal): Promise<void> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    await terminal.question('         Press Enter to do so.', { signal: stop });
  } finally {
    terminal.close();
  }
}

function list(): string {
  const width = Math.max(...DRILLS.map((drill) => drillName(drill).length));
  return DRILLS.map((drill) => `  ${drillName(drill).padEnd(width)}  ${drill.breaks}`).join('\n');
}

function readArguments(args: string[]): { name: string | undefined; isReal: boolean } {
  try {
    const options = { 'real-times': { type: 'boolean', default: false } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    if (positionals.length <= 1) return { name: positionals[0], isReal: values['real-times'] };
  } catch {
    // An unknown option ends like a second name.
  }
  throw new StartError(USAGE);
}
