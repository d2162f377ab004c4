import { NOTICE_TYPES, type WebhookType } from '@session/contract';
import { agentReportOf, type FoldableMessage, isFields } from '@session/contract/room';
import type {
  FollowedSession,
  FollowedVersion,
  LatestMessageRow,
  WebhookTarget,
} from '@session/db';
import { v5 as uuidv5 } from 'uuid';
import { messageJson, metadataOf, sessionEventJson } from '../messages/message-schema.ts';

const UNASKED: WebhookType = 'message.pending';
const TYPES_OF_STATES: ReadonlyMap<unknown, WebhookType> = new Map([
  ['plan_completed', 'plan.completed'],
  ['step_reopened', 'plan.step'],
  ['step_started', 'plan.step'],
]);
const NOTICES: ReadonlySet<string> = new Set(NOTICE_TYPES);

export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly body: string;
}

export function typeOf(version: FollowedVersion): string {
  if ('type' in version) return version.type;
  if (version.status === 'pending') return 'message.pending';
  const metadata = metadataOf(version);
  const { erased, kind, participant, payload } = metadata ?? {};
  if (erased !== undefined) return 'message.erased';
  // A message without a sender may come from an agent that has stopped.
  const isHandover = kind === 'handover' && isFields(participant) && isFields(payload);
  // A handover to another agent calls no person.
  const isToPerson = isHandover && payload['to'] === undefined;
  if (isToPerson && payload['state'] === 'requested') return 'handover.requested';
  if (kind === 'recording_gap') return 'recording.gap';
  return planTypeOf({ ...version, metadata }) ?? 'message.stored';
}

function planTypeOf(message: FoldableMessage): WebhookType | undefined {
  const { kind, payload } = agentReportOf(message) ?? {};
  if (kind === 'complete_todo_list') return 'plan.updated';
  if (kind === 'plan_deliverable_update') return 'plan.deliverable';
  if (kind !== 'state_change_notification') return undefined;
  return TYPES_OF_STATES.get(payload?.['state']);
}

export function isWanted({ events }: Pick<WebhookTarget, 'events'>, type: string): boolean {
  return events.length === 0 ? type !== UNASKED : events.includes(type);
}

interface Place {
  readonly sessionId: string;
  readonly session: FollowedSession | null;
  readonly after: string;
}

/** Returns the event for a version. `after` is the position before this version in its session. */
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
