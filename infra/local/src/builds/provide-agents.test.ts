import { execFile } from 'node:child_process';
import { mkdtemp, readlink, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@session/agents';
import { expect, onTestFinished, test } from 'vitest';
import { plainProgress } from '../supervision/progress.ts';
import { BUNDLED_AGENTS, bundleAgents, MEDIA_CLIENT } from './bundle-agents.ts';
import { AGENT_SOURCES, provideAgents } from './provide-agents.ts';

const run = promisify(execFile);
/** At its end, the program prints which of Node's own modules it has loaded. */
const LIST_LOADED = `--import=data:text/javascript,process.on('exit',()=>console.log(process.moduleLoadList.join()))`;
const root = path.resolve(import.meta.dirname, '../../../..');
const options = { progress: plainProgress(() => {}), stop: new AbortController().signal };

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bundles-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('a bundle consists of our files whose changes make it again, and of installed packages', async () => {
  const files = await bundleAgents(await newFolder());
  const own = files
    .filter((file) => path.isAbsolute(file) && !file.includes('node_modules'))
    .map((file) => path.relative(root, file));
  expect(own).toContain('apps/light-agent/src/main.ts');
  const folders = AGENT_SOURCES.map((source) => `${source}/`);
  expect(own.filter((file) => !folders.some((folder) => file.startsWith(folder)))).toEqual([]);
});

test('bundled agents load the media client but not `fetch`, reading nothing but what the launcher allows', async () => {
  // Bundled once for all runs with the same sources, as for a newcomer's start.
  const folder = await provideAgents(options);
  const endings = BUNDLED_AGENTS.map(async (program): Promise<unknown> => {
    const { file, args } = findProgram(folder, program, false) ?? { file: '', args: [] };
    return await run(file, [LIST_LOADED, ...args], { env: {} }).catch((error: unknown) => error);
  });
  for (const ended of await Promise.all(endings)) {
    // The agent has loaded all its code, and lacks its settings.
    expect(ended).toMatchObject({ code: 78, stderr: expect.stringMatching(/MEDIA_URL/) });
    expect(ended).toHaveProperty('stdout', expect.stringContaining('NativeModule fs'));
    expect(ended).toHaveProperty('stdout', expect.not.stringContaining('undici'));
  }
  expect(await provideAgents(options)).toBe(folder);
});

test('the bundles find their packages when the checkout is moved', async () => {
  const folder = await provideAgents(options);
  const agent = path.join(folder, 'light-agent/node_modules');
  const links = [path.join(folder, '../node_modules'), path.join(agent, MEDIA_CLIENT)];
  for (const link of links) {
    expect(path.isAbsolute(await readlink(link))).toBe(false);
    expect(await realpath(link)).toMatch(RegExp(`^${root}/`));
  }
});
