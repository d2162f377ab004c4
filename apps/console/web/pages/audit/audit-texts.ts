import type { AuditAction, AuditEvent } from '@session/client';
import { roleName } from '../../service/permissions.ts';
import { searchedIn } from '../projects/search-languages.ts';
import { roleTitle } from '../sessions/role-title.ts';

export const ACTION_NAMES: Readonly<Record<AuditAction, string>> = {
  'agent_template.created': 'Agent template created',
  'agent_template.changed': 'Agent template changed',
  'agent_template.deleted': 'Agent template deleted',
  'agent.started': 'Agent started',
  'agent.stopped': 'Agent stopped',
  'api_key.created': 'API key created',
  'api_key.rotated': 'API key rotated',
  'api_key.deleted': 'API key deleted',
  'end_user.let_in': 'End user let in',
  'erasure.requested': 'Erasure requested',
  'env_template.created': 'Variables created',
  'env_template.changed': 'Variables changed',
  'env_template.deleted': 'Variables deleted',
  'invitation.created': 'Invitation created',
  'invitation.accepted': 'Invitation accepted',
  'invitation.deleted': 'Invitation withdrawn',
  'member.added': 'Member added',
  'member.role_changed': 'Role changed',
  'member.removed': 'Member removed',
  'plan_template.created': 'Plan created',
  'plan_template.changed': 'Plan changed',
  'plan_template.deleted': 'Plan deleted',
  'project.renamed': 'Project renamed',
  'project.retention_changed': 'Retention changed',
  'project.search_language_changed': 'Language of the search changed',
  'session.closed': 'Session closed',
  'session.deleted': 'Session deleted',
  'session.imported': 'Messages imported',
  'webhook.created': 'Webhook created',
  'webhook.changed': 'Webhook changed',
  'webhook.secret_rotated': 'Webhook secret rotated',
  'webhook.replayed': 'Webhook replayed',
  'webhook.dead': 'Webhook given up',
  'webhook.deleted': 'Webhook deleted',
};

export function actionOf(value: unknown): AuditAction | undefined {
  return Object.keys(ACTION_NAMES).find((name): name is AuditAction => name === value);
}

type Detail = AuditEvent['detail'];

const SENTENCES = new Map<string, (detail: Detail) => string>([
  ['agent_template.created', (detail) => `created the agent template ${quoted(detail)}`],
  ['agent_template.changed', (detail) => `changed the agent template ${quoted(detail)}`],
  ['agent_template.deleted', (detail) => `deleted the agent template ${quoted(detail)}`],
  ['agent.started', (detail) => `started the agent ${roleTitle(text(detail, 'role'))}`],
  ['agent.stopped', (detail) => `stopped the agent ${roleTitle(text(detail, 'role'))}`],
  ['api_key.created', (detail) => `created the API key ${quoted(detail)}${withRole(detail)}`],
  ['api_key.rotated', (detail) => `gave the API key ${quoted(detail)} a new secret`],
  ['api_key.deleted', (detail) => `deleted the API key ${quoted(detail)}`],
  ['erasure.requested', () => 'asked for an erasure'],
  ['end_user.let_in', (detail) => `let the end user ${quoted(detail)} into a session`],
  ['env_template.created', (detail) => `created the variables ${quoted(detail)}`],
  ['env_template.changed', (detail) => `changed the variables ${quoted(detail)}`],
  ['env_template.deleted', (detail) => `deleted the variables ${quoted(detail)}`],
  ['member.added', (detail) => `added ${text(detail, 'name')}${withRole(detail)}`],
  [
    'member.role_changed',
    (detail) => `changed the role of ${text(detail, 'name')}${fromTo(detail)}`,
  ],
  ['member.removed', (detail) => `removed ${text(detail, 'name')}`],
  ['plan_template.created', (detail) => `created the plan ${quoted(detail)}`],
  ['plan_template.changed', (detail) => `changed the plan ${quoted(detail)}`],
  ['plan_template.deleted', (detail) => `deleted the plan ${quoted(detail)}`],
  [
    'project.renamed',
    (detail) => `renamed the project from ${quoted(detail, 'formerName')} to ${quoted(detail)}`,
  ],
  ['project.retention_changed', ({ days }) => `let the project keep histories ${keptFor(days)}`],
  [
    'project.search_language_changed',
    ({ language }) => `let the project be searched ${searchedIn(language)}`,
  ],
  ['session.closed', () => 'closed a session'],
  ['session.deleted', () => 'deleted a session'],
  ['session.imported', () => 'imported messages into a session'],
  ['webhook.created', (detail) => `created a webhook to ${text(detail, 'host')}`],
  ['webhook.changed', (detail) => `changed the webhook to ${text(detail, 'host')}`],
  [
    'webhook.secret_rotated',
    (detail) => `gave the webhook to ${text(detail, 'host')} a new secret`,
  ],
  ['webhook.replayed', (detail) => `sent messages to ${text(detail, 'host')} again`],
  ['webhook.dead', (detail) => `gave up a session of the webhook to ${text(detail, 'host')}`],
  ['webhook.deleted', (detail) => `deleted the webhook to ${text(detail, 'host')}`],
  ['invitation.created', (detail) => `invited ${text(detail, 'email')}${withRole(detail)}`],
  ['invitation.deleted', (detail) => `withdrew the invitation of ${text(detail, 'email')}`],
  [
    'invitation.accepted',
    (detail) => `accepted the invitation of ${text(detail, 'email')}${withRole(detail)}`,
  ],
]);

/**
 * Returns what was done, in words that follow the actor's name. For an unknown action of a newer API, returns the
 * action's name.
 */
export function auditText({ action, detail }: Pick<AuditEvent, 'action' | 'detail'>): string {
  return SENTENCES.get(action)?.(detail) ?? action;
}

/**
 * Returns the session in which something was done; undefined for other events, and for a deleted session, which cannot be
 * opened.
 */
export function sessionOf({ action, target, detail }: AuditEvent): string | undefined {
  if (action === 'session.closed' || action === 'session.imported') return target;
  const { sessionId } = detail;
  return typeof sessionId === 'string' ? sessionId : undefined;
}

function text(detail: Detail, name: string): string {
  const value = detail[name];
  return typeof value === 'string' && value !== '' ? value : 'unknown';
}

export function keptFor(days: unknown): string {
  if (typeof days !== 'number') return 'for ever';
  return days === 1 ? 'for one day' : `for ${days} days`;
}

function quoted(detail: Detail, name = 'name'): string {
  return `“${text(detail, name)}”`;
}

function withRole({ role }: Detail): string {
  return typeof role === 'string' ? ` as ${roleName(role)}` : '';
}

function fromTo({ role, formerRole }: Detail): string {
  if (typeof role !== 'string') return '';
  const from = typeof formerRole === 'string' ? ` from ${roleName(formerRole)}` : '';
  return `${from} to ${roleName(role)}`;
}
