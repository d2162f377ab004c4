import { type RemoteParticipant, Room, RoomEvent } from '@livekit/rtc-node';
import { AccessToken } from 'livekit-server-sdk';
import postgres from 'postgres';

// The plainest recorder possible: LiveKit's SDK with its defaults, and one INSERT per message.

const { env } = process;
const sql = postgres(env['DATABASE_URL'] ?? '');
const decoder = new TextDecoder();

// One after another: with the SDK's defaults, 50 at once fail.
for (const session of (env['SESSIONS'] ?? '').split(',')) await record(session);
process.send?.('ready');

async function record(session: string): Promise<void> {
  const identity = `recorder-${process.pid}`;
  const token = new AccessToken(env['MEDIA_API_KEY'], env['MEDIA_API_SECRET'], { identity });
  token.addGrant({ roomJoin: true, room: session, hidden: true });
  const room = new Room();
  room.on(RoomEvent.DataReceived, (payload: Uint8Array, _sender?: RemoteParticipant) => {
    const { type, data } = JSON.parse(decoder.decode(payload));
    if (type === 'user_text') void store(session, String(data));
  });
  room.registerTextStreamHandler('lk.chat', (reader) => {
    void reader.readAll().then((text) => store(session, text));
  });
  await room.connect(env['MEDIA_URL'] ?? '', await token.toJwt());
}

async function store(session: string, content: string): Promise<void> {
  await sql`insert into plain_messages (session_id, content) values (${session}, ${content})`;
}
