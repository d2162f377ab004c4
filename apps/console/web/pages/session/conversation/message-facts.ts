import type { TimelineItem } from '@session/client';
import type { TapeGap } from '../../../ui/tape-geometry.ts';
import { roleTitle } from '../../sessions/role-title.ts';

/** An identity that the API made for a user: with a suffix for each stay in a room. */
const IDENTITY_OF_USER = /^(user-[0-9a-f-]{36})-.*$/s;
/** The role of an agent. Agents of this service are named after their roles. */
const ROLE = /^[a-z]+-(agent|ai)$/;
const GROUP_PAUSE_MS = 5 * 60_000;

interface ParticipantNames {
  readonly name: string;
  readonly identity: string;
}

export type MessageVoice = 'agent' | 'self' | 'other';

export type MessageMark = 'interrupted' | 'truncated' | 'unfinished';

/** Reasons with which only messages of one sender are missing. The content of the message states this. */
const OF_ONE_SENDER: ReadonlySet<unknown> = new Set(['flood', 'missing_messages']);

/** Returns the gap that a message reports; undefined for other messages, and when only one sender’s messages are missing. */
export function gapOf({ kind, metadata }: TimelineItem): TapeGap | undefined {
  if (kind !== 'recording_gap') return undefined;
  const { from, to, reason } = metadata ?? {};
  if (typeof from !== 'string' || typeof to !== 'string' || OF_ONE_SENDER.has(reason))
    return undefined;
  return { from, to, reason: typeof reason === 'string' ? reason : 'unknown' };
}

/** Returns whether a message was erased. Only its time and role are known then. */
export function isErased({ metadata }: TimelineItem): boolean {
  return metadata !== null && 'erased' in metadata;
}

export function isEvent({ role }: TimelineItem): boolean {
  return role !== 'user' && role !== 'assistant';
}

/** Returns an id for the sender of a message, which is the same for all stays of one user. */
export function senderOf({ participant, role }: TimelineItem): string {
  return participant ? participant.identity.replace(IDENTITY_OF_USER, '$1') : role;
}

export function voiceOf(item: TimelineItem, selfId: string | undefined): MessageVoice {
  if (item.role === 'assistant') return 'agent';
  return selfId !== undefined && senderOf(item) === `user-${selfId}` ? 'self' : 'other';
}

export function nameOf({ participant, role }: TimelineItem): string {
  if (participant) return participantName(participant);
  return role === 'assistant' ? 'Agent' : 'Unknown participant';
}

/**
 * Returns the name of a participant. An agent that is named after its role becomes *Echo agent*; other names stay as they
 * are.
 */
export function participantName({ name, identity }: ParticipantNames): string {
  return ROLE.test(name) ? roleTitle(name) : name || identity;
}

/**
 * Returns whether a message begins a group, which shows its sender’s name and its time. Consecutive events are one group.
 */
export function isGroupStart(item: TimelineItem, before: TimelineItem | undefined): boolean {
  if (!before || isEvent(before) !== isEvent(item) || isNewDay(item, before)) return true;
  if (isEvent(item)) return false;
  if (senderOf(item) !== senderOf(before)) return true;
  if (item.timestamp === null || before.timestamp === null) return false;
  return Date.parse(item.timestamp) - Date.parse(before.timestamp) > GROUP_PAUSE_MS;
}

export function isNewDay({ timestamp }: TimelineItem, before: TimelineItem | undefined): boolean {
  if (timestamp === null) return false;
  if (!before) return true;
  return before.timestamp !== null && dayOf(timestamp) !== dayOf(before.timestamp);
}

export function marksOf({ metadata, state }: TimelineItem): MessageMark[] {
  const isInterrupted = metadata?.['interrupted'] === true;
  const isTruncated = metadata?.['truncated'] === true;
  // A pending message may still be completed, so it is not shown as truncated.
  if (state === 'pending') return ['unfinished'];
  if (isInterrupted) return ['interrupted'];
  return isTruncated && state !== 'speaking' ? ['truncated'] : [];
}

const IDENTITY_OF_AGENT = /^agent-([a-z-]+)-[0-9a-f]{8}$/;

/** Returns the names of the agents that may have written a message in its participant’s name; undefined if none did. */
export function transcribersOf({ metadata }: TimelineItem): string | undefined {
  const identities = metadata?.['transcribers'];
  if (!Array.isArray(identities)) return undefined;
  const names = identities.map((identity) => {
    const role = IDENTITY_OF_AGENT.exec(String(identity))?.[1];
    return role === undefined ? String(identity) : participantName({ name: role, identity: role });
  });
  return names.length === 0 ? 'an agent that has left' : names.join(' or ');
}

/** Returns who reports an event; undefined if that is unknown, or if the event’s text has the name already. */
export function eventSender(item: TimelineItem): string | undefined {
  const { kind, participant } = item;
  const transcribers = transcribersOf(item);
  if (transcribers && participant) {
    return `${transcribers}, in the name of ${participantName(participant)}:`;
  }
  const isNamed = ['participant_joined', 'participant_left', 'recording_gap'].includes(kind);
  return participant === null || isNamed ? undefined : participantName(participant);
}

export function eventText(item: TimelineItem): string {
  if (item.participant === null) return item.content;
  if (item.kind === 'participant_joined') return `${nameOf(item)} joined`;
  return item.kind === 'participant_left' ? `${nameOf(item)} left` : item.content;
}

const NAMED_EVENTS: ReadonlySet<string> = new Set([
  'participant_joined',
  'participant_left',
  'complete_todo_list',
  'plan_deliverable_update',
  'state_change_notification',
  'conversation_ended',
  'handover',
  'recording_gap',
  'unheard',
]);
const SAID: ReadonlySet<string> = new Set(['text', 'transcript']);

export function unknownKindOf(item: TimelineItem): string | undefined {
  const { kind } = item;
  // A system message may be a sentence, or what an agent wrote in a person’s name.
  const known = isEvent(item) && !SAID.has(kind) ? NAMED_EVENTS : SAID;
  return known.has(kind) ? undefined : kind;
}

function dayOf(timestamp: string): string {
  return new Date(timestamp).toDateString();
}
