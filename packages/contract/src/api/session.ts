import * as z from 'zod';
import { Agent } from './agent.ts';
import { EXAMPLE } from './example.ts';
import { Message } from './message.ts';
import { Problem } from './problem.ts';

/** From the first connection of a recorder, every moment is either in `coverage` or in `gaps`. */
export const Recording = z
  .object({
    status: z.enum(['waiting', 'recording', 'reconnecting', 'lost', 'ended']),
    since: z.string().nullable(),
    messageCount: z.number(),
    lastMessageAt: z.string().nullable(),
    coverage: z.array(z.object({ from: z.string(), to: z.string() })),
    gaps: z.array(z.object({ from: z.string(), to: z.string(), reason: z.string() })),
    missing: z
      .array(z.object({ identity: z.string(), count: z.number() }))
      .describe(
        'By the numbers that senders give their messages: whose messages the history lacks now, and how many. A message that has ' +
          'just been said may be on its way, or asked for',
      ),
  })
  .meta({ id: 'Recording' });
export type Recording = z.infer<typeof Recording>;

export const MAX_METADATA_KEYS = 16;
const KEYS_RULE = `a session has at most ${MAX_METADATA_KEYS} keys of metadata`;

const MetadataKey = z.string().regex(/^[^[\]]{1,40}$/);
const MetadataValue = z.string().max(500);
const keyRule = {
  error: ({ code }: { readonly code?: string | undefined }) =>
    code === 'invalid_key' ? 'a key has 1 to 40 characters, without [ and ]' : undefined,
};

export const Metadata = z
  .record(MetadataKey, MetadataValue, keyRule)
  .refine((metadata) => Object.keys(metadata).length <= MAX_METADATA_KEYS, { error: KEYS_RULE })
  .meta({ maxProperties: MAX_METADATA_KEYS });

const Name = z.string().trim().min(1).max(200);
export const ExternalId = z.string().min(1).max(255);

export const NewSession = z
  .strictObject({
    name: Name,
    metadata: Metadata.optional().describe(
      'What your own programs want to keep with the session: texts by key',
    ),
    externalId: ExternalId.optional().describe(
      'The id that your own programs have for the session. The sessions of a project have different ones',
    ),
  })
  .meta({
    examples: [{ name: 'Hello', metadata: { customer: 'c-17' }, externalId: 'order-4711' }],
  });
export type NewSession = z.infer<typeof NewSession>;

export const SessionChange = z
  .strictObject({
    name: Name.optional(),
    metadata: z
      .record(MetadataKey, MetadataValue.nullable(), keyRule)
      .optional()
      .describe('The keys to set; `null` removes a key, and all other keys stay'),
    externalId: ExternalId.nullish().describe('`null` removes it'),
  })
  .meta({
    examples: [{ name: 'Hello again', metadata: { customer: 'c-18', channel: null } }],
  });
export type SessionChange = z.infer<typeof SessionChange>;

const SESSION = {
  id: EXAMPLE.session,
  projectId: EXAMPLE.project,
  name: 'Hello',
  status: 'ACTIVE',
  createdBy: EXAMPLE.user,
  createdAt: EXAMPLE.at,
  updatedAt: EXAMPLE.at,
  closedAt: null,
  historyFrom: null,
  closeReason: null,
  metadata: { customer: 'c-17' },
  externalId: 'order-4711',
  recording: {
    status: 'recording',
    since: EXAMPLE.at,
    messageCount: 1,
    lastMessageAt: EXAMPLE.later,
    coverage: [{ from: EXAMPLE.at, to: EXAMPLE.later }],
    gaps: [],
    missing: [],
  },
};

/** A session as the API returns it. Its id is the name of its room. */
export const Session = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    status: z.enum(['ACTIVE', 'CLOSED']),
    createdBy: z.string(),
    createdAt: z.string(),
    updatedAt: z.string(),
    closedAt: z.string().nullable(),
    historyFrom: z
      .string()
      .nullable()
      .describe(
        'The messages until then are deleted, because the project keeps them no longer (`retentionDays`); null: none is',
      ),
    closeReason: z.enum(['user', 'idle', 'project_deleted', 'agent']).nullable(),
    metadata: z.record(z.string(), z.string()),
    externalId: z.string().nullable(),
    recording: Recording,
  })
  .meta({
    id: 'Session',
    examples: [SESSION],
  });
export type Session = z.infer<typeof Session>;

export const ExportedSession = Session.omit({ recording: true });
export type ExportedSession = z.infer<typeof ExportedSession>;

export const ListedSession = Session.extend({
  lastMessage: z
    .object({
      role: Message.shape.role,
      kind: z.string(),
      content: z.string(),
      timestamp: z.string(),
    })
    .nullable()
    .meta({
      description:
        'The newest message that a participant wrote or spoke (of kind `text` or `transcript`), also one that is still ' +
        'pending. `content` holds its first 200 characters (Unicode code points). Null if there is none among the ' +
        'newest 200 messages of the session',
    }),
  agents: z.array(Agent.pick({ id: true, role: true, status: true })).meta({
    description: 'The agents of the session that have not stopped, the oldest first',
  }),
}).meta({
  id: 'ListedSession',
  examples: [
    {
      ...SESSION,
      lastMessage: {
        role: 'user',
        kind: 'text',
        content: 'Good morning',
        timestamp: EXAMPLE.later,
      },
      agents: [{ id: EXAMPLE.agent, role: 'echo-agent', status: 'Running' }],
    },
  ],
});
export type ListedSession = z.infer<typeof ListedSession>;

/** The field names are those of LiveKit's `TokenSource.endpoint`. */
export const SessionToken = z
  .object({
    serverUrl: z.string(),
    participantToken: z.string(),
    roomName: z.string(),
    participantIdentity: z.string(),
    expiresAt: z.string(),
    accessToken: z
      .string()
      .nullable()
      .describe('For the `participant` of the request: what opens this session in the API'),
    accessExpiresAt: z.string().nullable(),
  })
  .meta({
    id: 'SessionToken',
    examples: [
      {
        serverUrl: 'wss://media.example.org',
        participantToken: 'eyJhbGciOiJIUzI1NiJ9…',
        roomName: EXAMPLE.session,
        participantIdentity: `user-${EXAMPLE.user}-0f1e2d`,
        expiresAt: '2026-11-21T08:10:00.000Z',
        accessToken: 'eyJhbGciOiJIUzI1NiJ9…',
        accessExpiresAt: '2026-11-21T09:00:00.000Z',
      },
    ],
  });
export type SessionToken = z.infer<typeof SessionToken>;

export const CreatedSession = Session.extend({
  agents: z
    .array(z.union([z.object({ agent: Agent }), z.object({ problem: Problem })]))
    .optional()
    .describe(
      'Where `agents` were asked for: in their order each agent, or why it was not started',
    ),
  token: SessionToken.optional().describe('Where a `token` was asked for'),
}).meta({ id: 'CreatedSession', examples: [SESSION] });
export type CreatedSession = z.infer<typeof CreatedSession>;
