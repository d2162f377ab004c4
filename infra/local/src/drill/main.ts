import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { runMain, StartError } from '@session/kit';
import { disposeSdk } from '@session/media';
import { loadConfig } from '../config.ts';
import { INSTALL_PROMETHEUS, isPrometheusInstalled } from '../monitoring/prometheus.ts';
import { loadEnvFileBehindProxy } from '../stack/bypass-proxy.ts';
import { ProcessTable } from '../supervision/process-table.ts';
import { outliveReaders } from '../supervision/progress.ts';
import { type Drill, drillName } from './drill.ts';
import { startDrillStack } from './drill-stack.ts';
import { DRILLS } from './drills.ts';
import { runDrill } from './run-drill.ts';

/** Alerts fire after seconds instead of minutes. */
const SPEED = 20;
const root = path.resolve(import.meta.dirname, '../../../..');
const USAGE = `Usage: npm run drill -- <name> [--real-times]
  --real-times  waits as long as the rules of a cluster do: minutes, not seconds`;

const print = (line: string) => {
  process.stdout.write(`${line}\n`);
};

await runMain(async (stop) => {
  outliveReaders();
  const { name, isReal } = readArguments(process.argv.slice(2));
  if (name === undefined) {
    print(`${USAGE}\n\n${list()}`);
    return;
  }
  const drill = DRILLS.find((one) => drillName(one) === name);
  if (!drill) throw new StartError(`There is no drill ${name}. Choose one of these:\n\n${list()}`);
  loadEnvFileBehindProxy();
  if (!(await isPrometheusInstalled(process.env)))
    throw new StartError(`A drill shows its alert by Prometheus: ${INSTALL_PROMETHEUS}.`);
  try {
    await rehearse(drill, isReal ? 1 : SPEED, stop);
  } catch (error) {
    // What was running fails when it is stopped.
    throw stop.aborted ? new StartError('Stopped.') : error;
  } finally {
    await disposeSdk();
  }
});

async function rehearse(drill: Drill, speed: number, stop: AbortSignal): Promise<void> {
  const parent = loadConfig(process.env, root).folder;
  await mkdir(parent, { recursive: true });
  await using parts = new AsyncDisposableStack();
  const table = await ProcessTable.claim(path.join(parent, 'drill.json'));
  if (!table) throw new StartError('Another drill is running: try again when it has ended.');
  parts.use(table);
  const folder = path.join(parent, 'drill');
  print('Starting a stack of its own …');
  const stack = parts.use(await startDrillStack({ folder, env: drill.env, speed, stop }));
  parts.defer(() => print('Stopping the stack …'));
  print(`Prometheus: ${stack.prometheusUrl}/alerts\nLogs:       ${path.join(folder, 'logs')}`);
  const began = performance.now();
  const after = () => seconds(performance.now() - began);
  const fired = await runDrill(stack, drill, {
    broken({ ruleMs, limitMs }) {
      const limits = `its rule takes ${seconds(ruleMs)}, the drill waits up to ${seconds(limitMs)}`;
      print(
        `\nBroken:  ${drill.breaks}\n         Waiting for the alert ${drill.alert}: ${limits} …`,
      );
    },
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
  // As a terminal, readline would keep Ctrl-C from this process.
  const lines = createInterface({ input: process.stdin, terminal: false });
  process.stdout.write('         Press Enter to do so. ');
  try {
    await Promise.race([once(lines, 'line', { signal: stop }), once(lines, 'close')]);
  } finally {
    lines.close();
  }
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(0)} s`;
}

function list(): string {
  const width = Math.max(...DRILLS.map((drill) => drillName(drill).length));
  return DRILLS.map((drill) => `  ${drillName(drill).padEnd(width)}  ${drill.breaks}`).join('\n');
}

function readArguments(args: string[]): { name: string | undefined; isReal: boolean } {
  try {
    const options = {
      'real-times': { type: 'boolean', default: false },
      help: { type: 'boolean' },
    } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const name = values.help ? undefined : positionals[0];
    if (positionals.length <= 1) return { name, isReal: values['real-times'] };
  } catch {
    // An unknown option ends like a second name.
  }
  throw new StartError(USAGE);
}
