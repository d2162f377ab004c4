import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEnv } from '@session/kit';
import * as z from 'zod';

/** The process launcher's configuration. */
export interface ProcessConfig {
  /** The absolute folder in which the launcher records the processes that it started, for the next start after a crash. */
  readonly folder: string;
}

const Variables = z.object({
  AGENT_PROCESS_DIR: z
    .string()
    .default(() => path.join(tmpdir(), `session-agents-${process.getuid?.() ?? ''}`)),
});

/** Returns the process launcher's configuration; throws a StartError with one line for each faulty variable of `env`. */
export function readProcessConfig(env: NodeJS.ProcessEnv): ProcessConfig {
  const variables = readEnv(Variables, env);
  return { folder: path.resolve(variables.AGENT_PROCESS_DIR) };
}
