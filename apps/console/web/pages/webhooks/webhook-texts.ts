import type { Webhook, WebhookAttempt } from '@session/client';
import type { WebhookType } from '@session/contract';

interface EventText {
  readonly title: string;
  readonly hint: string;
}

const TEXTS: Readonly<Record<WebhookType, EventText>> = {
  'message.stored': {
    title: 'Messages',
    hint: 'What people and agents said and did, as soon as it is stored.',
  },
  'message.pending': {
    title: 'Unfinished messages',
    hint: 'Each time that a text grows before it is complete.',
  },
  'message.erased': {
    title: 'Erased messages',
    hint: 'The words of a message were erased. Delete your copy, too.',
  },
  'recording.gap': {
    title: 'Gaps',
    hint: 'A time in which nothing was recorded.',
  },
  'handover.requested': {
    title: 'Requests for a person',
    hint: 'An agent asks for a person, and waits.',
  },
  'plan.step': {
    title: 'Steps of plans',
    hint: 'An agent began a step of its plan, or came back to one.',
  },
  'plan.deliverable': {
    title: 'Deliverables',
    hint: 'An agent noted or corrected a value that its plan asks for.',
  },
  'plan.updated': {
    title: 'Progress of plans',
    hint: 'All steps of an agent’s plan, after each change.',
  },
  'plan.completed': {
    title: 'Completed plans',
    hint: 'An agent completed its plan.',
  },
  'session.created': {
    title: 'Sessions begin',
    hint: 'A session was created.',
  },
  'session.closed': {
    title: 'Sessions end',
    hint: 'A session was closed, by somebody or because nobody was there.',
  },
  'session.deleted': {
    title: 'Sessions are deleted',
    hint: 'A session and its history were deleted. No event of the session follows.',
  },
  'agent.running': {
    title: 'Agents join',
    hint: 'An agent joined its room, at its start or after a restart.',
  },
  'agent.stopped': {
    title: 'Agents stop',
    hint: 'An agent has ended, with the reason.',
  },
  'store.restored': {
    title: 'Restores',
    hint: 'The database was restored to an earlier time. Messages may be gone.',
  },
  'webhook.dead': {
    title: 'Webhooks are given up',
    hint: 'Another webhook of the project did not take a message for three days.',
  },
};

export const EVENTS = Object.entries(TEXTS).map(([type, text]) => ({ type, ...text }));

export function webhookTypes(types: readonly unknown[]): WebhookType[] {
  return types.filter(isWebhookType);
}

function isWebhookType(type: unknown): type is WebhookType {
  return typeof type === 'string' && Object.hasOwn(TEXTS, type);
}

const STANDARD: readonly string[] = Object.keys(TEXTS).filter((type) => type !== 'message.pending');

export function typesOf({ events }: Pick<Webhook, 'events'>): readonly string[] {
  return events.length === 0 ? STANDARD : events;
}

/** Returns the stored types that have no box, because a newer API added them. The API accepts them unchanged. */
export function typesWithoutBox(stored: readonly string[]): WebhookType[] {
  return stored.filter((type): type is WebhookType => !isWebhookType(type));
}

/**
 * Returns the `events` to store when these boxes are ticked; undefined if nothing has changed. The default selection is
 * stored as an empty list, so that types which a newer API adds are sent too.
 */
export function changedEvents(
  ticked: readonly WebhookType[],
  stored: readonly string[],
): WebhookType[] | undefined {
  if (areSame(ticked, webhookTypes(typesOf({ events: [...stored] })))) return undefined;
  return areSame(ticked, STANDARD) ? [] : [...ticked, ...typesWithoutBox(stored)];
}

function areSame(types: readonly string[], others: readonly string[]): boolean {
  return types.length === others.length && types.every((type) => others.includes(type));
}

/** Names the types that a webhook gets. An unknown type of a newer API appears under its own name. */
export function eventsText(webhook: Pick<Webhook, 'events'>): string {
  if (webhook.events.length === 0) return 'Everything but unfinished messages';
  return typesOf(webhook)
    .map((type) => EVENTS.find((event) => event.type === type)?.title ?? type)
    .join(', ');
}

interface Status {
  readonly name: string;
  readonly tone: 'plain' | 'warning' | 'ok';
}

const STATUSES: ReadonlyMap<string, Status> = new Map<string, Status>([
  ['active', { name: 'Active', tone: 'ok' }],
  ['failing', { name: 'Failing', tone: 'warning' }],
  ['dead', { name: 'Given up', tone: 'warning' }],
  ['disabled', { name: 'Disabled', tone: 'plain' }],
]);

export function statusOf({ status }: { readonly status: string }): Status {
  return STATUSES.get(status) ?? { name: status, tone: 'plain' };
}

type State = Pick<Webhook, 'status' | 'lastFailure'>;

/** Returns why a webhook does not get everything; undefined for one that gets everything. */
export function failureText({ status, lastFailure }: State): string | undefined {
  const reason = lastFailure ? ` The last failure: ${lastFailure}.` : '';
  if (status === 'failing') return `Attempts fail, and are retried for three days.${reason}`;
  if (status === 'dead') {
    return `Messages of some session were given up.${reason} “Try again” sends them.`;
  }
  return status === 'disabled'
    ? `Nothing is sent.${reason} Once it is enabled, it gets what waits.`
    : undefined;
}

type Attempt = Pick<WebhookAttempt, 'statusCode' | 'durationMs' | 'failure'>;

export function attemptText({ statusCode, durationMs, failure }: Attempt): string {
  const after = `after ${durationMs} ms`;
  return statusCode === null ? `${failure ?? 'No answer'}, ${after}` : `${statusCode} ${after}`;
}

const MINUTE_LENGTH = '2026-11-24T10:02'.length;

/** Returns a moment in the user’s time zone, in the format of a field of the type `datetime-local`. */
export function localMinute(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, MINUTE_LENGTH);
}
