import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const LOOPBACK = '127.0.0.1,localhost,::1';
const PROXY = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
const BOOTSTRAP = { ...PROXY, NO_PROXY: LOOPBACK, no_proxy: LOOPBACK };
const SCRIPT = `
  import { createServer } from 'node:http';
  import { loadEnvFileBehindProxy } from '${new URL('bypass-proxy.ts', import.meta.url).href}';
  import { appProgram } from '${new URL('app-program.ts', import.meta.url).href}';
  loadEnvFileBehindProxy();
  const server = createServer((request, response) => response.end('direct'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = 'http://127.0.0.1:' + server.address().port;
  const answer = await fetch(url).then((response) => response.text(), () => 'through the proxy');
  server.close();
  server.closeAllConnections();
  const { NO_PROXY, no_proxy } = appProgram('api', 'api', process.env).options.env;
  console.log(JSON.stringify([NO_PROXY, no_proxy, answer]));`;

test.each([
  ['NO_PROXY=.a', BOOTSTRAP, `.a,${LOOPBACK}`, `.a,${LOOPBACK}`],
  ['no_proxy=.b', BOOTSTRAP, `.b,${LOOPBACK}`, `.b,${LOOPBACK}`],
  ['NO_PROXY=.a\nno_proxy=.b', BOOTSTRAP, `.a,${LOOPBACK}`, `.b,${LOOPBACK}`],
  ['', BOOTSTRAP, LOOPBACK, LOOPBACK],
  [
    'NO_PROXY=.a',
    { ...PROXY, NO_PROXY: `.c,${LOOPBACK}`, no_proxy: `.c,${LOOPBACK}` },
    `.c,${LOOPBACK}`,
    `.c,${LOOPBACK}`,
  ],
  ['', { NO_PROXY: LOOPBACK }, LOOPBACK, undefined],
])(
  'a `.env` with %j replaces no hosts of the user’s shell, and those of the bootstrap hide none of its own',
  async (file, env, upper, lower) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'bypass-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(path.join(folder, '.env'), file);
    const args = ['--conditions=@source', '--input-type=module', '--eval', SCRIPT];
    const options = { cwd: folder, env: { PATH: process.env['PATH'], ...env } };
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    expect(JSON.parse(stdout)).toEqual([upper ?? null, lower ?? null, 'direct']);
  },
);
