import { mediaUrl, readEnv } from '@session/kit';
import { packetPublicKey, packetVerifier } from '@session/media/room';
import * as z from 'zod';

/** A launcher gives an agent a token for one room. An agent that is started by hand needs the keys, which open every room. */
const Credentials = {
  token: { MEDIA_TOKEN: z.string() },
  keys: {
    MEDIA_API_KEY: z.string('the key of the media server is needed'),
    MEDIA_API_SECRET: z.string('the secret of the media server is needed'),
  },
};

const PACKET_KEY = /^[\w-]{43}$/;
const ROOM_NEEDED = 'the room to join is needed, which is the id of the session';

export interface RoomConfig {
  readonly url: string;
  readonly room: string;
  readonly credentials:
    | { readonly token: string }
    | { readonly apiKey: string; readonly apiSecret: string };
  readonly packetKey?: string | undefined;
}

/** Reads the room from the variables of a launcher or a person. Throws a StartError with one line for each fault. */
export function readRoom(env: NodeJS.ProcessEnv): RoomConfig {
  const room = env['MEDIA_ROOM'] || env['SESSION_ID'] || '';
  const Shared = z.object({
    MEDIA_URL: mediaUrl(),
    MEDIA_PACKET_KEY: z.string().regex(PACKET_KEY, 'a public key in base64url').optional(),
    MEDIA_ROOM: room ? z.string().optional() : z.string(ROOM_NEEDED),
  });
  if (env['MEDIA_TOKEN']) {
    const given = readEnv(Shared.extend(Credentials.token), env);
    const { MEDIA_URL: url, MEDIA_TOKEN: token, MEDIA_PACKET_KEY: packetKey } = given;
    return { url, room, credentials: { token }, packetKey };
  }
  const given = readEnv(Shared.extend(Credentials.keys), env);
  const credentials = { apiKey: given.MEDIA_API_KEY, apiSecret: given.MEDIA_API_SECRET };
  return { url: given.MEDIA_URL, room, credentials, packetKey: packetPublicKey(credentials) };
}

export function packetCheck({ room, packetKey }: RoomConfig): (packet: unknown) => boolean {
  if (packetKey === undefined) return () => false;
  const isSigned = packetVerifier(packetKey);
  return (packet) => isSigned(room, packet);
}
