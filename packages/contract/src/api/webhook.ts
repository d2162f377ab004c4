import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { Message } from './message.ts';
import { HoursKept, Id, Moment } from './parameters.ts';
import { Session } from './session.ts';
import { SESSION_EVENT_TYPES, SessionEvent } from './session-event.ts';

/** The types of webhook requests that do not concern a session. */
export const NOTICE_TYPES = ['store.restored', 'webhook.dead'] as const;

const WEBHOOK_TYPES = [
  'message.stored',
  'message.pending',
  'message.erased',
  'recording.gap',
  'handover.requested',
  'plan.step',
  'plan.deliverable',
  'plan.updated',
  'plan.completed',
  ...SESSION_EVENT_TYPES,
  ...NOTICE_TYPES,
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

const Url = z
  .string()
  .max(2000)
  .describe('https, without a user, a password or a fragment, and with a public address');
const Description = z.string().trim().max(200);
const Events = z
  .array(z.enum(WEBHOOK_TYPES))
  .max(WEBHOOK_TYPES.length)
  .describe(
    'The types that are sent. Empty: all but `message.pending`, which comes each time that a text grows before it is complete',
  );
const Content = z
  .enum(['full', 'none'])
  .describe('`none` sends ids, role, status and times, without words and metadata');

export const NewWebhook = z
  .strictObject({
    url: Url,
    description: Description.default(''),
    events: Events.default([]),
    content: Content.default('full'),
    from: z
      .union([z.enum(['now', 'beginning']), Moment])
      .default('now')
      .describe(
        'Which messages are sent: those that are stored from now on, all, or those stored after a time',
      ),
  })
  .meta({ id: 'NewWebhook', examples: [{ url: 'https://example.org/conversations' }] });

export const WebhookChange = z
  .strictObject({
    url: Url,
    description: Description,
    events: Events,
    content: Content,
    status: z
      .enum(['active', 'disabled'])
      .describe(
        '`disabled` sends nothing until it is `active` again, which also tries again what was given up',
      ),
  })
  .partial()
  .meta({ id: 'WebhookChange', examples: [{ status: 'active' }] });

const webhook = {
  id: EXAMPLE.webhook,
  projectId: EXAMPLE.project,
  url: 'https://example.org/conversations',
  description: '',
  events: [],
  content: 'full' as const,
  status: 'active' as const,
  behind: { sessions: 0, since: null },
  failingSince: null,
  lastFailure: null,
  createdBy: EXAMPLE.user,
  createdAt: EXAMPLE.at,
  updatedAt: EXAMPLE.at,
};

export const Webhook = z
  .object({
    id: z.string(),
    projectId: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.string()),
    content: Content,
    status: z
      .enum(['active', 'failing', 'dead', 'disabled'])
      .describe(
        '`failing`: attempts fail and are retried; `dead`: in some session, retrying ended',
      ),
    behind: z
      .object({ sessions: z.int(), since: z.string().nullable() })
      .describe(
        'In how many sessions messages or events wait (at most 1,000; a notice counts as a session), and when the first of them was stored',
      ),
    failingSince: z.string().nullable(),
    lastFailure: z.string().nullable(),
    createdBy: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Webhook', examples: [webhook] });
export type Webhook = z.infer<typeof Webhook>;

export const IssuedWebhook = Webhook.extend({
  secret: z.string().describe('Signs every request (Standard Webhooks). No other answer shows it'),
}).meta({ id: 'IssuedWebhook', examples: [{ ...webhook, secret: 'whsec_…' }] });

export const SecretRotation = z
  .strictObject({
    keepOldHours: HoursKept('For how many hours requests are signed with the older secret too'),
  })
  .meta({ id: 'SecretRotation', examples: [{ keepOldHours: 24 }] });

export const WebhookAttempt = z
  .object({
    statusCode: z.int().nullable().describe('Null without an answer'),
    durationMs: z.int(),
    failure: z.string().nullable().describe('Null when the answer was 2xx'),
    response: z.string().describe('The beginning of the answer'),
  })
  .meta({
    id: 'WebhookAttempt',
    examples: [{ statusCode: 204, durationMs: 12, failure: null, response: '' }],
  });

export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

export const WebhookDelivery = WebhookAttempt.extend({
  id: z.string().describe('The `webhook-id` of the request, the same at each attempt'),
  sessionId: z.string().nullable().describe('Null for a notice: `store.restored`, `webhook.dead`'),
  position: z.string().describe('The position of the message in the history of its session'),
  type: z.string(),
  attempts: z.int(),
  firstAt: z.string(),
  lastAt: z.string(),
}).meta({
  id: 'WebhookDelivery',
  examples: [
    {
      id: EXAMPLE.message,
      sessionId: EXAMPLE.session,
      position: EXAMPLE.later,
      type: 'message.stored',
      statusCode: 204,
      durationMs: 12,
      failure: null,
      response: '',
      attempts: 1,
      firstAt: EXAMPLE.later,
      lastAt: EXAMPLE.later,
    },
  ],
});

export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const WebhookReplay = z
  .strictObject({
    since: Moment.meta({
      description: 'Messages that were stored after this time or position are sent again',
    }),
    sessionId: Id.optional().describe(
      'Without it, every session in which something was stored since the webhook’s `from`',
    ),
  })
  .meta({ id: 'WebhookReplay', examples: [{ since: EXAMPLE.at }] });

export const WebhookReplayed = z
  .object({ sessions: z.int().describe('In how many sessions messages are sent again') })
  .meta({ id: 'WebhookReplayed', examples: [{ sessions: 3 }] });
export type WebhookReplayed = z.infer<typeof WebhookReplayed>;

export const WebhookPayload = z.object({
  type: z.enum(WEBHOOK_TYPES).exclude(NOTICE_TYPES),
  timestamp: z.string(),
  data: z.object({
    projectId: z.string(),
    sessionId: z.string(),
    session: Session.pick({ externalId: true, metadata: true })
      .partial({ metadata: true })
      .optional()
      .describe(
        'Your own data of the session. `metadata` is left out with the content `none` and of a deleted session, and all of it once the rows of a deleted session are gone',
      ),
    after: z
      .string()
      .describe(
        'The position of what was handled before: between both there is nothing that this webhook sends',
      ),
    position: z.string(),
    message: Message.partial({ content: true, metadata: true })
      .optional()
      .describe('What `message.*`, `recording.gap`, `handover.requested` and `plan.*` send'),
    event: SessionEvent.optional().describe('What `session.*` and `agent.*` send'),
  }),
});
export type WebhookPayload = z.infer<typeof WebhookPayload>;

export const WebhookNotice = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('store.restored'),
    timestamp: z.string(),
    data: z.object({
      projectId: z.string(),
      restoredTo: z
        .string()
        .nullable()
        .describe('What was stored before is there; null: nothing was recorded before'),
      floorAt: z
        .string()
        .describe(
          'What is stored from now on has later positions; up to here something may be gone',
        ),
    }),
  }),
  z.object({
    type: z.literal('webhook.dead'),
    timestamp: z.string(),
    data: z.object({
      projectId: z.string(),
      webhookId: z.string(),
      host: z.string(),
      sessionId: z
        .string()
        .nullable()
        .describe('The first session that was given up; null: the webhook was disabled'),
      failure: z.string().nullable(),
    }),
  }),
]);
export type WebhookNotice = z.infer<typeof WebhookNotice>;
