import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pause } from '@session/kit';
import * as z from 'zod';
import { ProcessTable } from '../supervision/process-table.ts';
import type { Note, Progress } from '../supervision/progress.ts';
import { run } from '../supervision/tool.ts';
import { provideEnvironment } from './environment.ts';
import { findPython } from './python.ts';
import { speechFolder } from './speech-folder.ts';
import { SpeechUnavailable } from './speech-unavailable.ts';

export { SpeechUnavailable };

const MODELS = 'speech_server.models';
const POLL_MS = 250;
const TOOL_STOP = { signal: 'SIGTERM', patienceMs: 5000 } as const;
/** What pip and the downloads need of the user's environment. The stack's secrets are not part of it. */
const PASSED_ON =
  /^(PATH|HOME|TMPDIR|LANG|LC_\w+|XDG_\w+|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_\w+|REQUESTS_CA_BUNDLE|PIP_\w+)$/i;

const Folders = z.object({ 'whisper-tiny.en': z.string(), 'piper-en_US-joe-medium': z.string() });

export interface SpeechProgram {
  readonly python: string;
  readonly whisper: string;
  readonly voice: string;
}

export interface ProvideSpeechOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly stop: AbortSignal;
  readonly progress: Progress;
  /** Holds the environment and the models. Deleting it is safe: the next start fills it again. */
  readonly cache: string;
  readonly modelFolder?: string | undefined;
}

/**
 * Installs the packages and fetches the models the first time; of several starts, only one does. Throws a
 * SpeechUnavailable that says what the user can do.
 */
export async function provideSpeech(request: ProvideSpeechOptions): Promise<SpeechProgram> {
  const { stop, progress, cache, modelFolder } = request;
  const env = speechEnvironment(request.env);
  const python = await findPython(env);
  await mkdir(cache, { recursive: true });
  return await progress.during('Preparing speech (the first time takes minutes)', async (note) => {
    await using lock = await claim(path.join(cache, 'lock.json'), stop);
    const tool = { env, stop, onSpawn: (pid: number) => lock.set('tool', pid, TOOL_STOP) };
    const program = await provideEnvironment({
      ...tool,
      python,
      note,
      folder: path.join(cache, 'python'),
      requirements: path.join(speechFolder, 'requirements.txt'),
    }).catch(
      unavailable(
        'the packages of the speech server cannot be installed',
        'Check the network and the disk',
      ),
    );
    const own = modelFolder === undefined ? {} : { SPEECH_MODEL_DIR: modelFolder };
    const output = await run(program, ['-m', MODELS, path.join(cache, 'models')], {
      ...tool,
      env: { ...env, ...own },
      cwd: speechFolder,
      onOutput: (text) => noteLastLine(text, note),
    }).catch(
      unavailable(
        'the models of the speech server cannot be fetched',
        'Check the network, or set SPEECH_MODEL_DIR',
      ),
    );
    const folders = Folders.parse(JSON.parse(lastLine(output)));
    const { 'whisper-tiny.en': whisper, 'piper-en_US-joe-medium': voice } = folders;
    return { python: program, whisper, voice };
  });
}

function unavailable(what: string, remedy: string): (cause: unknown) => never {
  return (cause) => {
    throw new SpeechUnavailable(`${what} (${lastLine(cause)}). ${remedy}, and start again.`, {
      cause,
    });
  };
}

export function speechEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = Object.entries(env).filter(([name]) => PASSED_ON.test(name));
  // Python's compiled files stay out of the checkout, and nothing is asked of the models' hub but what models.json names.
  return { ...Object.fromEntries(passed), PYTHONDONTWRITEBYTECODE: '1', HF_HUB_OFFLINE: '1' };
}

async function claim(file: string, stop: AbortSignal): Promise<ProcessTable> {
  for (;;) {
    const table = await ProcessTable.claim(file);
    if (table) return table;
    if (!(await pause(POLL_MS, stop))) stop.throwIfAborted();
  }
}

function noteLastLine(text: string, note: Note): void {
  const line = lastLine(text);
  if (!line.startsWith('{')) note(line);
}

function lastLine(value: unknown): string {
  const text = value instanceof Error ? value.message : String(value);
  return text.trim().split('\n').at(-1) ?? '';
}
