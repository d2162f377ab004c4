import { mediaUrl, readEnv } from '@session/kit';
import * as z from 'zod';

/** A launcher gives the agent a token for one room. An agent that is started by hand needs the keys for all rooms. */
const Credentials = {
  token: { MEDIA_TOKEN: z.string() },
  keys: {
    MEDIA_API_KEY: z.string('the key of the media server is needed'),
    MEDIA_API_SECRET: z.string('the secret of the media server is needed'),
  },
};

const Shared = {
  MEDIA_URL: mediaUrl(),
  ECHO_MODE: z.enum(['text', 'audio', 'both'], 'text, audio or both').optional(),
};

const ROOM_NEEDED = 'the room to join is needed, which is the id of the session';

export interface Config {
  readonly url: string;
  /** The name of the room: the id of its session. */
  readonly room: string;
  /** Secrets: they open the room. */
  readonly credentials:
    | { readonly token: string }
    | { readonly apiKey: string; readonly apiSecret: string };
  readonly echoMode: 'text' | 'audio' | 'both' | undefined;
}

/** Returns the agent's configuration. Throws a StartError with one line for each missing or faulty variable of `env`. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const room = env['MEDIA_ROOM'] || env['SESSION_ID'] || '';
  const Rest = z.object({
    ...Shared,
    MEDIA_ROOM: room ? z.string().optional() : z.string(ROOM_NEEDED),
  });
  if (env['MEDIA_TOKEN']) {
    const given = readEnv(Rest.extend(Credentials.token), env);
    const credentials = { token: given.MEDIA_TOKEN };
    return { url: given.MEDIA_URL, room, credentials, echoMode: given.ECHO_MODE };
  }
  const given = readEnv(Rest.extend(Credentials.keys), env);
  const credentials = { apiKey: given.MEDIA_API_KEY, apiSecret: given.MEDIA_API_SECRET };
  return { url: given.MEDIA_URL, room, credentials, echoMode: given.ECHO_MODE };
}
