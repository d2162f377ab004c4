import { DisconnectReason } from '@livekit/rtc-node';
import type { PresenceEvent } from '@session/contract/room';
import { AppError } from '@session/kit';
import { type ParticipantInfo, WebhookReceiver } from 'livekit-server-sdk';
import type { MediaServer } from './media-server.ts';
import { kindName } from './participant-kind.ts';

/** A participant joined or left a room, as the media server's webhook reports it. */
export interface RoomPresence {
  readonly room: string;
  readonly event: PresenceEvent;
}

/**
 * Returns a function that reads a webhook of the server from its raw body and its authorization header. The function
 * returns the participant that joined or left a room. It returns undefined for every other webhook, and for a hidden
 * participant. It throws `unauthorized` unless the body is signed with the server's key.
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
      throw new AppError('unauthorized', `not a webhook of the media server: ${reason}`);
    });
    const { event: type, room, participant } = webhook;
    if (type !== 'participant_joined' && type !== 'participant_left') return undefined;
    if (!room || !participant || participant.permission?.hidden) return undefined;
    return { room: room.name, event: presenceEvent(type, participant) };
  };
}

function presenceEvent(type: PresenceEvent['type'], info: ParticipantInfo): PresenceEvent {
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
