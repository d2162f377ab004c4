import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { run } from '../supervision/tool.ts';

export const LIVEKIT = {
  version: '1.13.5',
  module: 'github.com/livekit/livekit-server/cmd/server',
  oldestGo: [1, 24],
  releases: 'https://github.com/livekit/livekit/releases/download',
} as const;

const ARCHITECTURES: Partial<Record<string, string>> = { arm64: 'arm64', x64: 'amd64' };
const ANSWER_TIMEOUT_MS = 10_000;
const DOWNLOAD_TIMEOUT_MS = 600_000;

/**
 * Downloads the release for this system, checks it against its `checksums.txt`, and unpacks `livekit-server`. Throws if there
 * is no archive for this system, or the checksums differ. The names are those of the project's `.goreleaser.yaml`, which
 * builds for Linux only. It has only been tried with the page of the test.
 */
export async function downloadLivekit(
  folder: string,
  stop: AbortSignal,
  releases: string = LIVEKIT.releases,
): Promise<void> {
  const architecture = ARCHITECTURES[process.arch];
  if (process.platform !== 'linux' || !architecture) {
    throw new Error(`there is no release for ${process.platform} ${process.arch}`);
  }
  const name = `livekit_${LIVEKIT.version}_linux_${architecture}.tar.gz`;
  const page = `${releases}/v${LIVEKIT.version}`;
  const sums = await (await get(`${page}/checksums.txt`, stop, ANSWER_TIMEOUT_MS)).text();
  const wanted = sums.split('\n').find((line) => line.endsWith(` ${name}`));
  if (!wanted) throw new Error(`its checksums.txt does not name ${name}`);

  const archive = path.join(folder, name);
  const { body } = await get(`${page}/${name}`, stop, DOWNLOAD_TIMEOUT_MS);
  if (!body) throw new Error(`${name} is empty`);
  await pipeline(body, createWriteStream(archive, { flags: 'wx', mode: 0o600 }), { signal: stop });
  const hash = createHash('sha256');
  await pipeline(createReadStream(archive), hash);
  if (hash.digest('hex') !== wanted.split(' ', 1)[0]) {
    throw new Error(`${name} is not what the release's checksums.txt says`);
  }
  await run('tar', ['-xzf', archive, '-C', folder, 'livekit-server'], { stop });
}

async function get(url: string, stop: AbortSignal, timeoutMs: number): Promise<Response> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return response;
}
