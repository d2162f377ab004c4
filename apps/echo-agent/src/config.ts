import { type RoomConfig, readBoth, readRoom } from '@session/agent-kit';
import { readEnv } from '@session/kit';
import * as z from 'zod';

const OwnVariables = z.object({
  ECHO_MODE: z.enum(['text', 'audio', 'both'], 'text, audio or both').default('text'),
});

export interface Config {
  readonly room: RoomConfig;
  /** What is said back: typed text, speech, or both. */
  readonly echoMode: 'text' | 'audio' | 'both';
}

/** Returns the agent's configuration. Throws a StartError with one line for each missing or faulty variable of `env`. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const [room, { ECHO_MODE: echoMode }] = readBoth(
    () => readRoom(env),
    () => readEnv(OwnVariables, env),
  );
  return { room, echoMode };
}
