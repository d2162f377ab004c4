import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { runMain, StartError } from '@session/kit';
import { findChromium } from '@session/testing/browser';
import { INSTALL_PROMETHEUS, isPrometheusInstalled } from '../src/monitoring/prometheus.ts';
import { run } from '../src/supervision/tool.ts';
import { findMissingForImages, IMAGE_REMEDY } from './images/image-tools.ts';
import { runAlone } from './images/run-alone.ts';
import { keep } from './total.ts';

/** The tiers that `npm test` runs without `--project`. */
const USUAL = ['unit', 'services'];

interface Need {
  /** With the value 1, a missing program is a failure. */
  readonly variable: string;
  /** Returns what this machine lacks, and what to do, or undefined if it can run the tier. */
  findMissing(): Promise<string | undefined>;
}

const NEEDS: Readonly<Record<string, Need>> = {
  browser: { variable: 'BROWSER_REQUIRED', findMissing: findMissingChromium },
  kubernetes: { variable: 'KUBETEST_REQUIRED', findMissing: findMissingCluster },
  images: { variable: 'IMAGES_REQUIRED', findMissing: findMissingTools },
  drills: { variable: 'DRILLS_REQUIRED', findMissing: findMissingPrometheus },
};

// `npm test`: runs the tiers that `--project` names, or else the usual ones. A tier that this machine cannot run is skipped, with a
// sentence that says what is missing.
await runMain(async (stop) => {
  const { tiers, args } = readTiers(process.argv.slice(2));
  const able: string[] = [];
  for (const tier of tiers) if (await canRun(tier)) able.push(tier);
  const together = able.filter((tier) => tier !== 'images');
  const codes = [];
  if (together.length > 0) codes.push(await runVitest(together, args, stop));
  if (able.includes('images') && !stop.aborted) {
    const program = path.join(import.meta.dirname, 'images/run-vitest.ts');
    codes.push(await runAlone(program, args, { stop, say }));
  }
  process.exitCode = Math.max(0, ...codes);
});

/** Splits the arguments into the values of `--project`, and the others. */
function readTiers(given: readonly string[]): { tiers: readonly string[]; args: string[] } {
  const named: string[] = [];
  const args: string[] = [];
  for (let index = 0; index < given.length; index++) {
    const arg = given[index] ?? '';
    if (arg.startsWith('--project=')) named.push(arg.slice('--project='.length));
    else if (arg === '--project') named.push(given[++index] ?? '');
    else args.push(arg);
  }
  return { tiers: named.length > 0 ? named : USUAL, args };
}

async function canRun(tier: string): Promise<boolean> {
  const need = NEEDS[tier];
  const missing = await need?.findMissing();
  if (!need || !missing) return true;
  if (process.env[need.variable] === '1') {
    const failure = `The tests of the tier ${tier} are required. ${missing}`;
    keep({ passed: 0, skipped: 0, failures: [failure], slow: [] });
    throw new StartError(failure);
  }
  say(`SKIP the tests of the tier ${tier}. ${missing}`);
  return false;
}

async function runVitest(
  tiers: readonly string[],
  args: readonly string[],
  stop: AbortSignal,
): Promise<number> {
  const projects = tiers.flatMap((tier) => ['--project', tier]);
  const child = spawn('vitest', ['run', ...projects, ...args], { stdio: 'inherit' });
  stop.addEventListener('abort', () => child.kill('SIGTERM'));
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

async function findMissingPrometheus(): Promise<string | undefined> {
  return (await isPrometheusInstalled(process.env)) ? undefined : INSTALL_PROMETHEUS;
}

async function findMissingChromium(): Promise<string | undefined> {
  const chromium = await findChromium(process.env).catch((error: Error) => {
    throw new StartError(error.message, { cause: error });
  });
  if (chromium) return undefined;
  return 'There is no Chromium: install one (`apt-get install chromium-headless-shell`, or `chromium`), or set CHROMIUM_PATH.';
}

async function findMissingCluster(): Promise<string | undefined> {
  const { env } = process;
  if (env['KUBECONFIG']) return undefined;
  return await run('go', ['version'], { env }).then(
    () => undefined,
    () => 'There is neither a KUBECONFIG nor a Go that could build the test cluster.',
  );
}

async function findMissingTools(): Promise<string | undefined> {
  const missing = await findMissingForImages();
  if (missing.length === 0) return undefined;
  return `This machine lacks ${missing.map(({ what }) => what).join(', ')}. ${IMAGE_REMEDY}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
