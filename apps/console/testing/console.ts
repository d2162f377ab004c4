import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { loadConfig } from '../src/config.ts';
import { serveConsole } from '../src/serve-console.ts';

export const API_URL = 'https://api.example';
export const DEMO_KEY = 'demo-key';

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface TestConsole {
  readonly port: number;
  close(): Promise<void>;
  /** Sends a request as it is: neither path nor headers are changed. */
  ask(target: string, options?: RequestOptions): Promise<Received>;
  /** Sends bytes, and returns everything that comes back until the connection ends. */
  sendBytes(bytes: string): Promise<string>;
}

export async function makePages(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'console-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  return folder;
}

/** Starts a console with small pages, and with a demo account whose token is `demo-token`. The test's end stops it. */
export async function startTestConsole(env: NodeJS.ProcessEnv = {}): Promise<TestConsole> {
  const folder = await makePages({
    'index.html': '<!doctype html>',
    'robots.txt': 'plain',
    'assets/index-1a2b.js': 'plain',
    'assets/index-1a2b.js.br': 'brotli',
    'assets/index-1a2b.js.gz': 'gzip',
  });
  const variables = { CONSOLE_API_URL: API_URL, CONSOLE_PAGES_DIR: folder, PORT: '0' };
  const demoAccount = { key: DEMO_KEY, token: async () => 'demo-token' };
  const console = await serveConsole(
    loadConfig({ ...variables, ...env }),
    pino({ level: 'silent' }),
    () => demoAccount,
  );
  const owned = new AsyncDisposableStack();
  owned.use(console);
  onTestFinished(() => owned.disposeAsync());
  const { port } = console;
  return {
    port,
    close: () => owned.disposeAsync(),
    async ask(target, options = {}) {
      const sent = request({ host: '127.0.0.1', port, path: target, ...options });
      sent.end();
      const [answer] = await once(sent, 'response');
      return { status: answer.statusCode, headers: answer.headers, body: await buffer(answer) };
    },
    async sendBytes(bytes) {
      const socket = connect(port, '127.0.0.1');
      socket.write(bytes);
      return await text(socket);
    },
  };
}
