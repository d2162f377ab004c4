import * as z from 'zod';
import { EXAMPLE } from './example.ts';

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
      /** Recorders that hold more sessions than their capacity: none has room. */
      recordersOverCapacity: z.number(),
    }),
  })
  .meta({
    id: 'Statistics',
    examples: [
      {
        sessions: { active: 1, recording: 1, reconnecting: 0, lost: 0, waiting: 0 },
        messages: { total: 1, lastMinute: 1, lastMessageAt: EXAMPLE.later },
        agents: { starting: 0, running: 1 },
        recorders: [
          { id: EXAMPLE.recorder, status: 'live', sessions: 1, heartbeatAt: EXAMPLE.later },
        ],
        monitored: [
          {
            sessionId: EXAMPLE.session,
            projectId: EXAMPLE.project,
            name: 'Hello',
            recorderId: EXAMPLE.recorder,
            status: 'recording',
            connectedSince: EXAMPLE.at,
            messageCount: 1,
            lastMessageAt: EXAMPLE.later,
            reconnectAttempts: 0,
          },
        ],
        drift: {
          unrecordedActiveSessions: 0,
          agentsWithoutWorkload: 0,
          staleRecorders: 0,
          recordersOverCapacity: 0,
        },
      },
    ],
  });
export type Statistics = z.infer<typeof Statistics>;
