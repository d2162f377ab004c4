import { NOTICE_TYPES, type WebhookType } from '@session/contract';
import { isFields } from '@session/contract/room';
import type {
  FollowedSession,
  FollowedVersion,
  LatestMessageRow,
  WebhookTarget,
} from '@session/db';
import { v5 as uuidv5 } from 'uuid';
import {
  messageJson,
  metadataOf,
  sessionEventJson,
} from '../../features/messages/message-schema.ts';

const UNASKED: WebhookType = 'message.pending';
const NOTICES: ReadonlySet<string> = new Set(NOTICE_TYPES);

/** A version of a message, or an event of its session, as it is sent. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

/** Returns the type of a version: each has exactly one. */
export function typeOf(version: FollowedVersion): string {
  if ('type' in version) return version.type;
  if (version.status === 'pending') return 'message.pending';
  const { erased, kind, participant, payload } = metadataOf(version) ?? {};
  if (erased !== undefined) return 'message.erased';
  // What nobody in particular sent, an agent may have sent that has stopped.
  const isHandover = kind === 'handover' && isFields(participant) && isFields(payload);
  // A handover to another agent calls no person.
  const isToPerson = isHandover && payload['to'] === undefined;
  if (isToPerson && payload['state'] === 'requested') return 'handover.requested';
  return kind === 'recording_gap' ? 'recording.gap' : 'message.stored';
}

export function isWanted({ events }: Pick<WebhookTarget, 'events'>, type: string): boolean {
  return events.length === 0 ? type !== UNASKED : events.includes(type);
}

interface Place {
  readonly sessionId: string;
  readonly session: FollowedSession | null;
  readonly after: string;
}

/** Returns what is sent of a version that follows the position `after` in its session. */
export function eventOf(
  { projectId, content }: Pick<WebhookTarget, 'content' | 'projectId'>,
  { sessionId, session, after }: Place,
  version: FollowedVersion,
): WebhookEvent {
  const type = typeOf(version);
  const { seenAt: position } = version;
  const id = uuidv5(position, sessionId);
  if ('type' in version && NOTICES.has(type)) {
    const data = `{"projectId":"${projectId}",${version.data.slice(1)}`;
    return { id, type, body: `{"type":"${type}","timestamp":"${position}","data":${data}}` };
  }
  const place = { projectId, sessionId, session: ownDataOf(session, content), after, position };
  const data = JSON.stringify(place).slice(0, -1);
  const what =
    'type' in version
      ? `"event":${sessionEventJson(sessionId, version)}`
      : `"message":${content === 'full' ? messageJson(sessionId, version) : bareJson(sessionId, version)}`;
  return {
    id,
    type,
    body: `{"type":"${type}","timestamp":"${position}","data":${data},${what}}}`,
  };
}

function ownDataOf(session: FollowedSession | null, content: WebhookTarget['content']) {
  if (!session) return undefined;
  const { externalId, metadata } = session;
  return { externalId, ...(content === 'full' && metadata && { metadata }) };
}

function bareJson(
  sessionId: string,
  { id, role, status, timestamp, createdAt }: LatestMessageRow,
): string {
  return JSON.stringify({ id, sessionId, role, status, timestamp, createdAt });
}
