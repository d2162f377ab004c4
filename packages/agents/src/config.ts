import { tmpdir } from 'node:os';
import path from 'node:path';
import { readEnv } from '@session/kit';
import * as z from 'zod';

export interface ProcessConfig {
  readonly folder: string;
  readonly programsFolder: string | undefined;
  readonly user: ProcessUser | undefined;
}

export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

const NO_ROOT = 'the id of a user other than root';
const NO_GROUP = 'the id of a group other than root’s';

const Variables = z
  .object({
    AGENT_PROCESS_DIR: z
      .string()
      .default(() => path.join(tmpdir(), `session-agents-${process.getuid?.() ?? ''}`)),
    AGENT_PROGRAMS_DIR: z.string().optional(),
    AGENT_PROCESS_UID: z.coerce
      .number(NO_ROOT)
      .int(NO_ROOT)
      .min(1, NO_ROOT)
      .refine(() => process.getuid?.() === 0, { error: 'only an API that runs as root can set it' })
      .optional(),
    AGENT_PROCESS_GID: z.coerce.number(NO_GROUP).int(NO_GROUP).min(1, NO_GROUP).optional(),
  })
  .refine(
    ({ AGENT_PROCESS_UID: uid, AGENT_PROCESS_GID: gid }) => uid !== undefined || gid === undefined,
    {
      path: ['AGENT_PROCESS_GID'],
      error: 'it is used only together with AGENT_PROCESS_UID',
    },
  );

export function readProcessConfig(env: NodeJS.ProcessEnv): ProcessConfig {
  const variables = readEnv(Variables, env);
  const { AGENT_PROCESS_UID: uid, AGENT_PROCESS_GID: gid = uid } = variables;
  const user = uid === undefined || gid === undefined ? undefined : { uid, gid };
  const programs = variables.AGENT_PROGRAMS_DIR;
  const programsFolder = programs === undefined ? undefined : path.resolve(programs);
  return { folder: path.resolve(variables.AGENT_PROCESS_DIR), programsFolder, user };
}
