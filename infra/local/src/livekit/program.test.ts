import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serve } from '@session/testing/serve';
import { expect, onTestFinished, test } from 'vitest';
import { firstFreePort } from '../supervision/ports.ts';
import { plainProgress } from '../supervision/progress.ts';
import { provideLivekit } from './program.ts';

const { signal } = new AbortController();
const SCRIPT = '#!/bin/sh\necho livekit-server\n';

// The project publishes no archive for other systems.
const isLinux = process.platform === 'linux';

test.runIf(isLinux)(
  'two first starts at once: one downloads the release, both have it',
  async () => {
    const folder = await makeFolder();
    await using page = await servePage(folder, (sum) => sum);
    const programs = await Promise.all([0, 1].map(() => provide(folder, { releases: page.url })));
    expect(new Set(programs).size).toBe(1);
    expect(await readFile(programs[0] ?? '', 'utf8')).toBe(SCRIPT);
    expect(page.requests.filter((url) => url.endsWith('.tar.gz'))).toHaveLength(1);
    expect(await readdir(path.join(folder, 'cache/session-service'))).toHaveLength(1);
  },
);

test.runIf(isLinux)(
  'an archive that differs from its checksum is deleted, and the error says what the user can do',
  async () => {
    const folder = await makeFolder();
    await using page = await servePage(folder, (sum) => `0000${sum.slice(4)}`);
    const failure = provide(folder, { releases: page.url });
    await expect(failure).rejects.toThrow("not what the release's checksums.txt says");
    await expect(failure).rejects.toThrow('there is no Go on the PATH');
    await expect(failure).rejects.toThrow(/on the PATH, or install Go .*MEDIA_URL/s);
    expect(await readdir(path.join(folder, 'cache/session-service'))).toEqual([]);
  },
);

test('a Go that is new enough builds it, and an older Go is named in the error', async () => {
  const folder = await makeFolder();
  await using page = await servePage(folder, () => 'no sum');
  const options = { releases: page.url, PATH: folder };
  await writeGo(folder, '1.23.9');
  await expect(provide(folder, options)).rejects.toThrow(
    'Go 1.24 or newer is needed, and the Go on the PATH is 1.23',
  );
  await writeGo(folder, '1.24.0');
  const program = await provide(folder, options);
  expect(path.basename(program)).toBe('livekit-server');
  expect(await readFile(program, 'utf8')).toBe(
    'install -v github.com/livekit/livekit-server/cmd/server@v1.13.5',
  );
});

test('without a network the error names the reason', async () => {
  const folder = await makeFolder();
  const address = `127.0.0.1:${await firstFreePort([], '127.0.0.1')}`;
  const failure = provide(folder, { releases: `http://${address}` });
  await expect(failure).rejects.toThrow(`connect ECONNREFUSED ${address}`);
});

test.each([
  [{ HTTPS_PROXY: 'http://proxy.example:3128' }, true],
  [{ http_proxy: 'http://proxy.example:3128', NODE_USE_ENV_PROXY: '0' }, true],
  [{ HTTPS_PROXY: 'http://proxy.example:3128', NODE_USE_ENV_PROXY: '1' }, false],
  [{ HTTPS_PROXY: '', NO_PROXY: '.example' }, false],
])('with %j the error ends with the advice for a proxy: %s', async (env, isSaid) => {
  const said = await provide(await makeFolder(), { ...env, releases: 'none:' }).catch(String);
  expect(said.endsWith('\nBehind a proxy, set NODE_USE_ENV_PROXY=1.')).toBe(isSaid);
});

test.runIf(isLinux)('a cache that cannot be written has advice that helps', async () => {
  // Not even root can create a folder there.
  await expect(provide('/sys/session')).rejects.toThrow(
    '/sys/session/cache/session-service cannot be written: set XDG_CACHE_HOME to another folder, or put livekit-server on the PATH.',
  );
});

test('a program on the PATH comes first; a program for another processor is named at once', async () => {
  const folder = await makeFolder();
  const program = path.join(folder, 'livekit-server');
  await writeFile(program, SCRIPT);
  await chmod(program, 0o755);
  expect(await provide(folder, { PATH: folder })).toBe(program);
  // The head of a program for a PowerPC.
  await writeFile(program, Buffer.from('7f454c460102010000000000000000000002001500000001', 'hex'));
  await expect(provide(folder, { PATH: folder })).rejects.toThrow(
    `${program} does not run on this machine`,
  );
});

async function provide(
  folder: string,
  { releases = '', PATH = '', ...env }: NodeJS.ProcessEnv = {},
): Promise<string> {
  return await provideLivekit({
    env: { ...env, PATH, XDG_CACHE_HOME: path.join(folder, 'cache') },
    stop: signal,
    progress: plainProgress(() => {}),
    releases,
  });
}

/** Writes a stand-in for Go of that version. The program that it installs contains its arguments. */
async function writeGo(folder: string, version: string): Promise<void> {
  const file = path.join(folder, 'go');
  const install = `printf %s "$*" > "$GOBIN/server"`;
  await writeFile(
    file,
    `#!/bin/sh\n[ "$1" = version ] && echo go version go${version} || ${install}\n`,
  );
  await chmod(file, 0o755);
}

/** Serves a page of releases like the project's, with a script in place of the program. */
async function servePage(folder: string, spoil: (sum: string) => string) {
  const content = path.join(folder, 'content');
  await mkdir(content);
  await writeFile(path.join(content, 'livekit-server'), SCRIPT);
  const archive = execFileSync('tar', ['-czf', '-', '-C', content, 'livekit-server']);
  const sum = spoil(createHash('sha256').update(archive).digest('hex'));
  const names = ['amd64', 'arm64'].map((name) => `livekit_1.13.5_linux_${name}.tar.gz`);
  const requests: string[] = [];
  const server = await serve(({ url = '' }, response) => {
    requests.push(url);
    const sums = names.map((name) => `${sum}  ${name}\n`).join('');
    response.end(url.endsWith('/v1.13.5/checksums.txt') ? sums : archive);
  });
  return { ...server, requests };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'livekit-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
