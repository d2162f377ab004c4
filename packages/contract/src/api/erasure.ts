import * as z from 'zod';
import { EXAMPLE } from './example.ts';
import { Id } from './parameters.ts';
import { ExternalId } from './session.ts';

const MAX_ERASED_IDS = 1000;

const scope = {
  sessionId: Id.optional().describe(
    'A session of the project. Without another field, the whole session is deleted',
  ),
  messageIds: z
    .array(Id)
    .min(1)
    .max(MAX_ERASED_IDS)
    .optional()
    .describe(`With \`sessionId\`: these messages of the session, at most ${MAX_ERASED_IDS}`),
  identity: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe(
      'With `sessionId`: what this participant sent, or may have sent, until the request. All identities of one user are one participant',
    ),
  userId: Id.optional().describe(
    'The account of an end user: what they sent in all sessions of the project',
  ),
  participantId: ExternalId.optional().describe(
    'The same by your id of the end user: `participant.id` of a token. An id that nobody has is accepted and erases nothing: check `counts`',
  ),
};

export const NewErasure = z
  .strictObject(scope)
  .refine(
    ({ sessionId, messageIds, identity, userId, participantId }) => {
      const isInSession = sessionId !== undefined && !(messageIds && identity !== undefined);
      const scopes = [sessionId, userId, participantId].filter((one) => one !== undefined);
      return scopes.length === 1 && (isInSession || !(messageIds ?? identity));
    },
    {
      error:
        'send one of sessionId, sessionId with messageIds, sessionId with identity, userId, participantId',
    },
  )
  .meta({
    id: 'NewErasure',
    examples: [{ sessionId: EXAMPLE.session, messageIds: [EXAMPLE.message] }],
  });
export type NewErasure = z.infer<typeof NewErasure>;

export const Erasure = z
  .object({
    id: z.string(),
    projectId: z.string(),
    scope: z
      .object({
        sessionId: z.string(),
        messageIds: z.array(z.string()),
        identity: z.string(),
        userId: z.string(),
      })
      .partial()
      .describe(
        'What was requested; for an end user the id of the account. When the erasure is done, only a hash is left of an `identity`: `sha256:` and the SHA-256, in hex, of the id of the erasure, a space and the identity. Of a user’s identity, only the part up to the user’s id counts',
      ),
    requestedBy: z.string().describe('The account of a person or of an API key'),
    requestedAt: z.string(),
    status: z
      .enum(['running', 'waiting', 'done'])
      .describe(
        '`running` until nothing is left in the database, `waiting` until every live recorder has dropped what it holds',
      ),
    counts: z
      .object({
        sessions: z.int().describe('In how many sessions something was erased'),
        messages: z.int(),
        searchRows: z.int(),
        deliveries: z.int().describe('Deliveries to webhooks'),
        agentLogs: z.int().describe('Lines that agents of these sessions had printed'),
      })
      .describe('What was erased so far'),
    digest: z
      .string()
      .nullable()
      .describe(
        'SHA-256, in hex, over the ids of the erased messages, sorted and joined by commas; null until they are known',
      ),
    recorders: z
      .array(z.object({ id: z.string(), acknowledged: z.boolean() }))
      .describe('The recorders, and whether each has acknowledged that it holds nothing of this'),
    webhooks: z
      .array(z.object({ id: z.string(), told: z.boolean() }))
      .describe(
        'The webhooks of the project, and whether all that was erased has been sent to each, as empty messages, if it has the type `message.erased`; at the earliest two minutes after `finishedAt`',
      ),
    erasedAt: z.string().nullable().describe('When the database held nothing of it any more'),
    finishedAt: z.string().nullable(),
    backupsUntil: z
      .string()
      .nullable()
      .describe(
        'When the last backup with these words is gone, as the operator keeps backups; null until the erasure is done, or if the operator has not said so',
      ),
  })
  .meta({
    id: 'Erasure',
    examples: [
      {
        id: EXAMPLE.erasure,
        projectId: EXAMPLE.project,
        scope: { sessionId: EXAMPLE.session, messageIds: [EXAMPLE.message] },
        requestedBy: EXAMPLE.user,
        requestedAt: EXAMPLE.at,
        status: 'done',
        counts: { sessions: 1, messages: 1, searchRows: 1, deliveries: 0, agentLogs: 12 },
        digest: '8e4ff66a4e2a3c0f5b1d7c9e6a8b0d2f4c6e8a0b2d4f6c8e0a2b4d6f8c0e2a4b',
        recorders: [{ id: EXAMPLE.recorder, acknowledged: true }],
        webhooks: [{ id: EXAMPLE.webhook, told: true }],
        erasedAt: EXAMPLE.later,
        finishedAt: EXAMPLE.later,
        backupsUntil: '2026-12-26T09:00:00.000Z',
      },
    ],
  });
export type Erasure = z.infer<typeof Erasure>;
