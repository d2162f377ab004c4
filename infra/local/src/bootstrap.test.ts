import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { serve } from '@session/testing/serve';
import { expect, onTestFinished, test } from 'vitest';

const VERSION = '1.2.3';
const bootstrap = path.resolve(import.meta.dirname, '../bootstrap.mjs');

test('a pnpm with the pinned hash is used', async () => {
  const { registry, integrity } = await serveRegistry();
  const checkout = await makeCheckout(integrity);
  await runBootstrap(checkout, registry);
  expect(await readFile(path.join(checkout, 'ran'), 'utf8')).toBe('install.js');
});

test('a pnpm with another hash never runs, and the error names both hashes', async () => {
  const { registry, integrity } = await serveRegistry();
  const checkout = await makeCheckout('sha512-another');
  const { code, output } = await runBootstrap(checkout, registry);
  expect(code).toBe(1);
  expect(output).toContain(`expected sha512-another\nreceived ${integrity}`);
  await expect(readFile(path.join(checkout, 'ran'))).rejects.toThrow('ENOENT');
});

test('a new version of pnpm without a pinned hash is refused', async () => {
  const { registry } = await serveRegistry();
  const { code, output } = await runBootstrap(await makeCheckout(undefined), registry);
  expect(code).toBe(1);
  expect(output).toContain('pin its hashes in infra/local/pnpm-hashes.json');
});

test('a Node that is too old says which one is needed', async () => {
  const checkout = await makeCheckout(undefined);
  const { code, output } = await runBootstrap(checkout, '', await olderNode('16.20.2'));
  expect(code).toBe(1);
  expect(output).toBe('\nNode 18 or newer is needed, with npm, and this is Node 16.20.2.\n');
});

test('the first Node 18 installs the packages, without a look at the disk', async () => {
  const { registry, integrity } = await serveRegistry();
  const checkout = await makeCheckout(integrity);
  const { output } = await runBootstrap(checkout, registry, await olderNode('18.0.0'));
  expect(await readFile(path.join(checkout, 'ran'), 'utf8')).toBe('install.js');
  // The pnpm of this test installs no Node.
  expect(output).toContain('There is no packaged Node for this system');
});

test('an upgrade with little room on the disk starts, and only a first installation is refused', async () => {
  const { registry, integrity } = await serveRegistry();
  const checkout = await makeCheckout(integrity);
  const fullDisk = `import fs from 'node:fs'; fs.statfsSync = () => ({ bavail: 1, bsize: 1 });`;
  const nodeArgs = ['--import', `data:text/javascript,${fullDisk}`];
  const { output } = await runBootstrap(checkout, registry, nodeArgs);
  expect(output).toContain('The disk is full: the packages need about 1700 MB.');
  await mkdir(path.join(checkout, 'node_modules/.bin'), { recursive: true });
  expect((await runBootstrap(checkout, registry, nodeArgs)).code).toBe(0);
});

test('behind a proxy, a program reaches this machine’s servers directly', async () => {
  const { registry, integrity } = await serveRegistry();
  const checkout = await makeCheckout(integrity);
  const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1' };
  const { answer } = await runBootstrap(checkout, registry, [], { ...proxy, NO_PROXY: '.example' });
  const hosts = '.example,127.0.0.1,localhost,::1';
  expect(answer).toBe(`${hosts} ${hosts}\n`);
});

test('the pinned hashes are those of the pnpm that package.json names', async () => {
  const folder = path.dirname(bootstrap);
  const hashes = JSON.parse(await readFile(path.join(folder, 'pnpm-hashes.json'), 'utf8'));
  const root = JSON.parse(await readFile(path.join(folder, '../../package.json'), 'utf8'));
  const [, version] = String(root.packageManager).split('@');
  const names = ['pnpm', '@pnpm/exe.linux-arm64', '@pnpm/exe.linux-x64'];
  expect(Object.keys(hashes).toSorted()).toEqual(
    names.map((name) => `${name}@${version}`).toSorted(),
  );
});

/** Makes a checkout with nothing but the bootstrap and a hash of pnpm; returns its folder. */
async function makeCheckout(hash: string | undefined): Promise<string> {
  const folder = await makeFolder();
  const local = path.join(folder, 'infra/local');
  await mkdir(local, { recursive: true });
  await cp(bootstrap, path.join(local, 'bootstrap.mjs'));
  await writeJson(path.join(local, 'pnpm-hashes.json'), { [`pnpm@${VERSION}`]: hash });
  await writeJson(path.join(folder, 'package.json'), { packageManager: `pnpm@${VERSION}` });
  return folder;
}

/** Serves a registry whose only package is a pnpm of our own, which writes down that it ran. */
async function serveRegistry(): Promise<{ registry: string; integrity: string }> {
  const folder = await makeFolder();
  const manifest = { name: 'pnpm', version: VERSION, bin: { pnpm: 'install.js' } };
  await writeJson(path.join(folder, 'package.json'), manifest);
  // The folder is .cache/<draft>/node_modules/pnpm of the checkout.
  const script = [
    '#!/usr/bin/env node',
    "const ran = require('node:path').join(__dirname, '../../../../ran');",
    "require('node:fs').writeFileSync(ran, 'install.js');",
  ].join('\n');
  await writeFile(path.join(folder, 'install.js'), script);
  await promisify(execFile)('npm', ['pack', '--offline'], { cwd: folder });
  const tarball = await readFile(path.join(folder, `pnpm-${VERSION}.tgz`));
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const server = await serve((request, response) => {
    if (request.url?.endsWith('.tgz')) return response.end(tarball);
    const dist = { tarball: `http://${request.headers.host}/pnpm.tgz`, integrity };
    const versions = { [VERSION]: { ...manifest, dist } };
    return response.end(
      JSON.stringify({ name: 'pnpm', 'dist-tags': { latest: VERSION }, versions }),
    );
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { registry: `${server.url}/`, integrity };
}

/** Returns arguments with which Node is like an older one: `bootstrap.mjs` finds this version, and no `statfsSync`. */
async function olderNode(version: string): Promise<string[]> {
  const file = path.join(await makeFolder(), 'older-node.mjs');
  await writeFile(
    file,
    `
    import fs from 'node:fs';
    import { registerHooks } from 'node:module';
    const functions = Object.entries(Object.getOwnPropertyDescriptors(fs))
      .filter(([name, { value }]) => typeof value === 'function' && name !== 'statfsSync')
      .map(([name]) => name);
    const source = \`import fs from 'node:fs';
      export const { \${functions} } = fs;
      export default { \${functions} };\`;
    const url = 'older-node:fs';
    registerHooks({
      resolve: (specifier, context, next) =>
        specifier === 'node:fs' && context.parentURL?.endsWith('/bootstrap.mjs')
          ? { url, shortCircuit: true }
          : next(specifier, context),
      load: (asked, context, next) =>
        asked === url ? { format: 'module', source, shortCircuit: true } : next(asked, context),
    });
    const versions = { ...process.versions, node: '${version}' };
    Object.defineProperty(process, 'versions', { value: versions });`,
  );
  return ['--import', file];
}

/** Starts a program that prints what it has of the variables `NO_PROXY` and `no_proxy`. */
async function runBootstrap(
  checkout: string,
  registry: string,
  nodeArgs: string[] = [],
  variables: NodeJS.ProcessEnv = {},
) {
  const file = path.join(checkout, 'infra/local/bootstrap.mjs');
  const cache = path.join(checkout, 'npm-cache');
  const env = {
    ...process.env,
    npm_config_registry: registry,
    npm_config_cache: cache,
    ...variables,
  };
  const command = ['node', '--print', '[process.env.NO_PROXY, process.env.no_proxy].join(" ")'];
  const child = spawn(process.execPath, [...nodeArgs, file, ...command], { env });
  const [answer, output, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, output, answer };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bootstrap-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

async function writeJson(file: string, content: object): Promise<void> {
  await writeFile(file, JSON.stringify(content));
}
