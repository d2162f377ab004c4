import path from 'node:path';
import { runMain, StartError } from '@session/kit';
import { CHROMIUM_WITHOUT_WINDOWS, findChromium } from '@session/testing/browser';
import { isPrometheusInstalled } from '../src/monitoring/prometheus.ts';
import { run } from '../src/supervision/tool.ts';
import { findMissingForImages, packagesOf } from './images/image-tools.ts';

/** Debian packages that some tests need, and how to do without. */
interface Group {
  readonly tests: string;
  readonly packages: readonly string[];
  readonly otherwise?: string;
  /** The tests run without the packages, too. */
  readonly isOptional?: boolean;
}

/** The programs without which tests of `services` and `stack` are skipped, by their packages. */
const OPTIONAL = { 'redis-server': 'redis-server', haproxy: 'haproxy', pgbouncer: 'pgbouncer' };

const APT = ['-qq', '-o', 'Acquire::Retries=2', '-o', 'DPkg::Lock::Timeout=300'];

// Installs what tests need and this machine lacks, if this user is root. CI runs it before the tests. It installs all that it can,
// and then names what it could not install.
await runMain(async (stop) => {
  const groups = (await missingGroups()).filter(({ packages }) => packages.length > 0);
  if (groups.length === 0) return;
  if (process.getuid?.() === 0) await apt(['update'], stop).catch(() => {});
  const failures = [];
  for (const group of groups) {
    const failed = await install(group, stop);
    if (group.isOptional) process.stdout.write(failed.map((line) => `${line}\n`).join(''));
    else failures.push(...failed);
  }
  // A container can load a module only where it sees those of its machine.
  if (process.getuid?.() === 0) await run('modprobe', ['br_netfilter']).catch(() => {});
  if (failures.length > 0) throw new StartError(failures.join('\n'));
});

async function missingGroups(): Promise<Group[]> {
  const optional = await Promise.all(
    Object.entries(OPTIONAL).map(async ([program, name]) => ((await isThere(program)) ? [] : name)),
  );
  return [
    await missingBrowser(),
    { tests: 'The tests of the images', packages: packagesOf(await findMissingForImages()) },
    {
      tests: 'The drills, and the tests of dashboards and rules,',
      packages: (await isPrometheusInstalled(process.env)) ? [] : ['prometheus'],
      otherwise: ', or see them skipped',
    },
    {
      tests: 'Some tests of the tiers services and stack',
      packages: optional.flat(),
      otherwise: ', or see them skipped',
    },
  ];
}

async function missingBrowser(): Promise<Group> {
  const tests = 'The tests in a browser';
  // The tests report a CHROMIUM_PATH that names no program.
  if (process.env['CHROMIUM_PATH']) return { tests, packages: [] };
  const packages = [CHROMIUM_WITHOUT_WINDOWS];
  const chromium = await findChromium(process.env);
  if (!chromium) return { tests, packages, otherwise: ', another Chromium, or CHROMIUM_PATH' };
  if (path.basename(chromium) === CHROMIUM_WITHOUT_WINDOWS) return { tests, packages: [] };
  return { tests, packages, otherwise: `, or take longer with ${chromium}`, isOptional: true };
}

/** Installs the packages of a group. Returns what to do if that fails. */
async function install(
  { tests, packages, otherwise = '' }: Group,
  stop: AbortSignal,
): Promise<string[]> {
  const names = packages.join(' ');
  const remedy = `${tests} need \`apt-get install --no-install-recommends ${names}\`${otherwise}.`;
  if (process.getuid?.() !== 0) return [`${remedy} Only root may do that.`];
  process.stdout.write(`Installing ${names} …\n`);
  return await apt(['install', '--yes', '--no-install-recommends', ...packages], stop).then(
    () => [],
    (error: Error) => [`${remedy} Here it failed:\n${error.message}\n`],
  );
}

async function apt(args: readonly string[], stop: AbortSignal): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', [...APT, ...args], { env, stop });
}

async function isThere(program: string): Promise<boolean> {
  return await run('which', [program]).then(
    () => true,
    () => false,
  );
}
