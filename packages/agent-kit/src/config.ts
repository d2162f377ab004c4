import { mediaUrl, readEnv } from '@session/kit';
import * as z from 'zod';

/** A launcher gives an agent a token for one room. An agent that is started by hand needs the keys for all rooms. */
const Credentials = {
  token: { MEDIA_TOKEN: z.string() },
  keys: {
    MEDIA_API_KEY: z.string('the key of the media server is needed'),
    MEDIA_API_SECRET: z.string('the secret of the media server is needed'),
  },
};

const ROOM_NEEDED = 'the room to join is needed, which is the id of the session';

/** The room of an agent, and what opens it. */
export interface RoomConfig {
  readonly url: string;
  /** The name of the room: the id of its session. */
  readonly room: string;
  /** Secrets: they open the room. */
  readonly credentials:
    | { readonly token: string }
    | { readonly apiKey: string; readonly apiSecret: string };
}

/**
 * Reads the room from the variables that a launcher sets, or that a person sets who starts an agent by hand. Throws a
 * StartError with one line for each missing or faulty variable of `env`.
 */
export function readRoom(env: NodeJS.ProcessEnv): RoomConfig {
  const room = env['MEDIA_ROOM'] || env['SESSION_ID'] || '';
  const Shared = z.object({
    MEDIA_URL: mediaUrl(),
    MEDIA_ROOM: room ? z.string().optional() : z.string(ROOM_NEEDED),
  });
  if (env['MEDIA_TOKEN']) {
    const given = readEnv(Shared.extend(Credentials.token), env);
    return { url: given.MEDIA_URL, room, credentials: { token: given.MEDIA_TOKEN } };
  }
  const given = readEnv(Shared.extend(Credentials.keys), env);
  const credentials = { apiKey: given.MEDIA_API_KEY, apiSecret: given.MEDIA_API_SECRET };
  return { url: given.MEDIA_URL, room, credentials };
}
