import { type RoomConfig, readBoth, readRoom } from '@session/agent-kit';
import { readEnv } from '@session/kit';
import * as z from 'zod';

const OwnVariables = z.object({
  ECHO_MODE: z.enum(['text', 'audio', 'both'], 'text, audio or both').default('text'),
});

export interface Config {
  readonly room: RoomConfig;
  readonly echoMode: 'text' | 'audio' | 'both';
}

export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const [room, { ECHO_MODE: echoMode }] = readBoth(
    () => readRoom(env),
    () => readEnv(OwnVariables, env),
  );
  return { room, echoMode };
}
