import * as z from 'zod';
import { EXAMPLE } from './example.ts';

/** Figures about all projects of the caller. */
export const Statistics = z
  .object({
    /** How many sessions are ACTIVE, and how many of these have each recording status. */
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
    /** The recorders of the caller's sessions, each with the number of these sessions. */
    recorders: z.array(
      z.object({
        id: z.string(),
        status: z.enum(['live', 'draining', 'stale']),
        sessions: z.number(),
        heartbeatAt: z.string(),
        /** How many milliseconds the recorder's clock is ahead of the database's; negative: behind. */
        clockOffsetMs: z.number(),
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
    /**
     * When a recorder received its last webhook of the media server; null if none has since it started. Without webhooks,
     * the first words of participants who use LiveKit's own clients may have no sender.
     */
    webhooks: z.object({ lastAt: z.string().nullable() }),
    /** Where the actual state does not match the intended state. */
    drift: z.object({
      unrecordedActiveSessions: z.number(),
      agentsWithoutWorkload: z.number(),
      staleRecorders: z.number(),
      /** Recorders with more sessions than their capacity, because no recorder has room left. */
      recordersOverCapacity: z.number(),
      /** Live recorders whose clock differs from the database's by more than 5 s. They correct their times. */
      recordersWithWrongClock: z.number(),
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
          {
            id: EXAMPLE.recorder,
            status: 'live',
            sessions: 1,
            heartbeatAt: EXAMPLE.later,
            clockOffsetMs: 3,
          },
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
        webhooks: { lastAt: EXAMPLE.later },
        drift: {
          unrecordedActiveSessions: 0,
          agentsWithoutWorkload: 0,
          staleRecorders: 0,
          recordersOverCapacity: 0,
          recordersWithWrongClock: 0,
        },
      },
    ],
  });
export type Statistics = z.infer<typeof Statistics>;
