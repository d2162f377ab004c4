import { DisconnectReason } from '@livekit/rtc-node';
import type { PresenceEvent } from '@session/contract/room';
import { AppError } from '@session/kit';
import { type ParticipantInfo, WebhookReceiver } from 'livekit-server-sdk';
import type { MediaServer } from './media-server.ts';
import { kindName } from './participant-kind.ts';

/** That somebody has come into a room, or has left it. */
export interface RoomPresence {
  readonly room: string;
  readonly event: PresenceEvent;
}

/**
 * Gives what reads a webhook of that server, from its raw body and its authorization header: who came into which room or
 * left it, or undefined when it tells of anything else, or of somebody hidden. It throws `unauthorized` unless the body is
 * signed with the server's key.
 */
export function openWebhooks({
  apiKey,
  apiSecret,
}: Pick<MediaServer, 'apiKey' | 'apiSecret'>): (
  body: string,
  authorization: string | undefined,
) => Promise<RoomPresence | undefined> {
  const receiver = new WebhookReceiver(apiKey, apiSecret);
  return async (body, authorization) => {
    const webhook = await receiver.receive(body, authorization).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new AppError('unauthorized', `no webhook of the media server: ${reason}`);
    });
    const { event: type, room, participant } = webhook;
    if (type !== 'participant_joined' && type !== 'participant_left') return undefined;
    if (!room || !participant || participant.permission?.hidden) return undefined;
    return { room: room.name, event: presenceOf(type, participant) };
  };
}

function presenceOf(type: PresenceEvent['type'], info: ParticipantInfo): PresenceEvent {
  const { identity, name, sid, kind, joinedAtMs, disconnectReason } = info;
  const reason: string | undefined = DisconnectReason[disconnectReason];
  return {
    type,
    participant: { identity, name, sid, kind: kindName(kind) },
    joinedAt: joinedAtMs === 0n ? null : Number(joinedAtMs),
    reason: type === 'participant_left' ? (reason ?? null) : null,
    receivedAt: Date.now(),
  };
}
