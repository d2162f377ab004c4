import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { findPython } from '../src/speech/python.ts';
import { speechFolder } from '../src/speech/speech-folder.ts';

/** A Python that can run the speech server's HTTP part, or the reason why there is none. */
export const python = await findPython(process.env).catch((error: Error) => error.message);

if (typeof python === 'string') {
  process.stderr.write(`The tests of the speech server's HTTP part are skipped: ${python}\n`);
}

/** The speech server's HTTP part with models of the test. */
export interface StubSpeech {
  readonly port: number;
  /** Ends the wait of one model. */
  release(): void;
  output(): string;
}

/** Starts the HTTP part of the speech server, with these limits. It ends with the test. */
export async function startStubSpeech(
  limits: Readonly<Record<string, number>> = {},
  { isLoaded = true }: { readonly isLoaded?: boolean } = {},
): Promise<StubSpeech> {
  if (typeof python === 'string') throw new Error(python);
  const program = path.join(speechFolder, 'testing/stub_server.py');
  const child: ChildProcessWithoutNullStreams = spawn(
    python.command,
    ['-B', program, JSON.stringify(limits), ...(isLoaded ? [] : ['loading'])],
    { env: {} },
  );
  onTestFinished(async () => {
    const exit = once(child, 'exit');
    child.stdin.end();
    await exit;
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [port] = await once(createInterface(child.stdout), 'line');
  return {
    port: Number(port),
    release: () => void child.stdin.write('\n'),
    output: () => output,
  };
}
