import * as z from 'zod';
import { EXAMPLE } from './example.ts';

export const SESSION_EVENT_TYPES = [
  'session.created',
  'session.closed',
  'session.deleted',
  'agent.running',
  'agent.stopped',
] as const;

/** What happened to a session. `timestamp` is its position among the messages. */
export const SessionEvent = z
  .object({
    type: z.enum(SESSION_EVENT_TYPES),
    sessionId: z.string(),
    timestamp: z.string(),
    data: z
      .record(z.string(), z.unknown())
      .describe(
        '`session.closed` has `reason`, `agent.running` has `agentId` and `role`, and `agent.stopped` also has `reason` and `exitCode`',
      ),
  })
  .meta({
    id: 'SessionEvent',
    examples: [
      {
        type: 'session.closed',
        sessionId: EXAMPLE.session,
        timestamp: EXAMPLE.later,
        data: { reason: 'user' },
      },
    ],
  });
export type SessionEvent = z.infer<typeof SessionEvent>;
