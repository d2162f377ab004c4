import * as z from 'zod';

/** What goes on in the caller's projects. */
export const Statistics = z
  .object({
    /** Of those that are ACTIVE, how many are recorded how. */
    sessions: z.object({
      active: z.number(),
      recording: z.number(),
      reconnecting: z.number(),
      lost: z.number(),
      waiting: z.number(),
    }),
    messages: z.object({
      total: z.number(),
      lastMinute: z.number(),
      lastMessageAt: z.string().nullable(),
    }),
    agents: z.object({ starting: z.number(), running: z.number() }),
    /** Those that record a session of the caller's, with how many of them. */
    recorders: z.array(
      z.object({
        id: z.string(),
        status: z.enum(['live', 'draining', 'stale']),
        sessions: z.number(),
        heartbeatAt: z.string(),
      }),
    ),
    /** The newest 1,000 ACTIVE sessions. */
    monitored: z.array(
      z.object({
        sessionId: z.string(),
        projectId: z.string(),
        name: z.string(),
        recorderId: z.string().nullable(),
        status: z.enum(['waiting', 'recording', 'reconnecting', 'lost']),
        connectedSince: z.string().nullable(),
        messageCount: z.number(),
        lastMessageAt: z.string().nullable(),
        reconnectAttempts: z.number(),
      }),
    ),
    /** Where what is does not match what should be. */
    drift: z.object({
      unrecordedActiveSessions: z.number(),
      agentsWithoutWorkload: z.number(),
      staleRecorders: z.number(),
    }),
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.infer<typeof Statistics>;
