import { ChildProcess } from 'node:child_process';
import { expect, test } from 'vitest';
import { plainProgress } from '../supervision/progress.ts';
import { consoleProgram } from './console-program.ts';

test('a demo account that cannot be kept is one line, and the stack goes on', async () => {
  const said: string[] = [];
  const context = {
    config: { host: '127.0.0.1', logLevel: 'info' },
    demoAccount: {
      password: 'password',
      key: 'key',
      email: null,
      keepEmail: async () => await Promise.reject(new Error('ENOSPC: no space left on device')),
    },
    progress: plainProgress((text) => said.push(text)),
  };
  const program = consoleProgram(context, {
    port: 3001,
    apiUrl: 'http://127.0.0.1:3000',
    mediaUrl: 'ws://127.0.0.1:7880',
    pagesFolder: '/pages',
    apiReady: Promise.resolve(),
  });
  const child = new ChildProcess();
  const isReady = program.ready(child, new AbortController().signal);
  child.emit('message', 'ready');
  await isReady;
  child.emit('message', { demoEmail: 'ada@example.org' });
  await expect.poll(() => said).toEqual(['The demo account’s address could not be kept.\n']);
});
