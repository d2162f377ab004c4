import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { PageQuery } from './page.ts';
import { Id } from './parameters.ts';

export const AuditAction = z.enum([
  'agent.started',
  'agent.stopped',
  'agent_template.changed',
  'agent_template.created',
  'agent_template.deleted',
  'api_key.created',
  'api_key.deleted',
  'api_key.rotated',
  'end_user.let_in',
  'env_template.changed',
  'env_template.created',
  'env_template.deleted',
  'erasure.requested',
  'invitation.accepted',
  'invitation.created',
  'invitation.deleted',
  'member.added',
  'member.removed',
  'member.role_changed',
  'plan_template.changed',
  'plan_template.created',
  'plan_template.deleted',
  'project.renamed',
  'project.retention_changed',
  'project.search_language_changed',
  'session.closed',
  'session.deleted',
  'session.imported',
  'webhook.changed',
  'webhook.created',
  'webhook.dead',
  'webhook.deleted',
  'webhook.replayed',
  'webhook.secret_rotated',
]);
export type AuditAction = z.infer<typeof AuditAction>;

export const AuditQuery = PageQuery.extend({
  action: AuditAction.optional().describe('Events of this action'),
  actor: Id.optional().describe('Events of this account: of a person, or of an API key'),
});

export const AuditEvent = z
  .object({
    id: z.string(),
    at: z.string(),
    actor: z
      .object({ id: z.string(), name: z.string(), kind: z.enum(['person', 'api_key']) })
      .nullable()
      .describe('Who did it; null: the service itself, as when it closes an idle session'),
    action: z.string().describe('What was done, as `member.added`; a later version may add some'),
    target: z.string().describe('The id of what it was done to; of a member that of their account'),
    detail: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .describe('What else is known, by the action. `name` of an account is the present one'),
  })
  .meta({
    id: 'AuditEvent',
    examples: [
      {
        id: EXAMPLE.auditEvent,
        at: EXAMPLE.at,
        actor: { id: EXAMPLE.user, name: 'Ada', kind: 'person' },
        action: 'api_key.created',
        target: EXAMPLE.apiKey,
        detail: { name: 'Backend', role: 'MEMBER' },
      },
    ],
  });
export type AuditEvent = z.infer<typeof AuditEvent>;
