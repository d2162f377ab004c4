import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../src/pack/pack-client.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');

const OTHERS = {
  '@types/node': '.',
  '@livekit/components-react': 'infra/tools',
  '@livekit/rtc-node': 'infra/tools',
  '@types/react': 'infra/tools',
  '@types/react-dom': 'infra/tools',
  fastify: 'apps/api',
  'livekit-client': 'infra/tools',
  react: 'infra/tools',
  'react-dom': 'infra/tools',
};

export interface EmptyProject extends AsyncDisposable {
  readonly folder: string;
  readonly quickstarts: ReadonlyMap<string, string>;
}

/**
 * Returns a project with the SDK as `npm install` puts it there, and with the quickstarts. The SDK has no dependency, so npm
 * needs no network. The SDK's peers are those of this repository.
 */
export async function emptyProject(env: NodeJS.ProcessEnv): Promise<EmptyProject> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'project-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const tarball = await packClient(root, path.join(folder, 'tarball'));
  await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'];
  await run('npm', ['install', ...quiet, tarball], { cwd: folder, env });
  for (const [name, home] of Object.entries(OTHERS)) {
    const link = path.join(folder, 'node_modules', name);
    await mkdir(path.dirname(link), { recursive: true });
    await symlink(path.join(path.resolve(root, home), 'node_modules', name), link);
  }
  const quickstarts = codeOf(await readFile(path.join(root, 'docs/client.md'), 'utf8'));
  for (const [file, code] of quickstarts) await writeFile(path.join(folder, file), code);
  const owned = stack.move();
  return { folder, quickstarts, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** Runs the compiler, as strict as it can be, over files of a project. Returns its output. */
export async function compile(
  folder: string,
  files: readonly string[],
  skipLibCheck = false,
): Promise<string> {
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'esnext',
    moduleResolution: 'bundler',
    jsx: 'react-jsx',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    skipLibCheck,
    noEmit: true,
  };
  const config = path.join(folder, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  return await run(tsc, ['-p', config]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

function codeOf(page: string): Map<string, string> {
  const blocks = page.matchAll(/^```\w+ title="([^"]+)"\n([\s\S]*?)^```$/gm);
  return new Map(Array.from(blocks, ([, file = '', code = '']) => [file, code]));
}
