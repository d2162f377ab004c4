import { DisconnectReason } from '@livekit/rtc-node';
import type { PresenceEvent } from '@session/contract/room';
import { AppError } from '@session/kit';
import type { ParticipantInfo } from 'livekit-server-sdk';
import type { MediaKey } from './media-server.ts';
import { kindName } from './participant-kind.ts';
import { type RoomInstance, roomInstance } from './room-instance.ts';
import { WebhookReceiver } from './server-sdk.ts';

export interface MediaWebhook {
  readonly room: string;
  readonly instance: RoomInstance;
  readonly event: PresenceEvent | undefined;
}

/**
 * Returns a function that reads a webhook from its raw body and authorization header. The result is undefined for a
 * webhook about no room, or about the end of a room. Throws `unauthorized` unless one of the keys signed the body.
 */
export function openWebhooks(
  keys: readonly MediaKey[],
): (body: string, authorization: string | undefined) => Promise<MediaWebhook | undefined> {
  const receivers = keys.map(({ apiKey, apiSecret }) => new WebhookReceiver(apiKey, apiSecret));
  return async (body, authorization) => {
    const readings = receivers.map((receiver) => receiver.receive(body, authorization));
    const webhook = await Promise.any(readings).catch((error: unknown) => {
      const reasons = error instanceof AggregateError ? error.errors : [error];
      const texts = reasons.map((one) => (one instanceof Error ? one.message : String(one)));
      const reason = [...new Set(texts)].join('; ');
      throw new AppError('unauthorized', `not a webhook of the media server: ${reason}`);
    });
    const { event: type, room, participant } = webhook;
    if (!room || type === 'room_finished') return undefined;
    const isPresence = type === 'participant_joined' || type === 'participant_left';
    const isVisible = participant && !participant.permission?.hidden;
    const event = isPresence && isVisible ? presenceEvent(type, participant) : undefined;
    return { room: room.name, instance: roomInstance(room), event };
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
