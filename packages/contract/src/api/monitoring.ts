import * as z from 'zod';
import { EXAMPLE } from './example.ts';

export const Statistics = z
  .object({
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
    recorders: z.array(
      z.object({
        id: z.string(),
        status: z.enum(['live', 'draining', 'stale']),
        sessions: z.number(),
        heartbeatAt: z.string(),
        /** Positive when the recorder's clock is ahead of the database's. */
        clockOffsetMs: z.number(),
      }),
    ),
    monitored: z.array(
      z.object({
        sessionId: z.string(),
        projectId: z.string(),
        name: z.string(),
        recorderId: z.string().nullable(),
        recorderIds: z.array(z.string()),
        status: z.enum(['waiting', 'recording', 'reconnecting', 'lost']),
        connectedSince: z.string().nullable(),
        messageCount: z.number(),
        lastMessageAt: z.string().nullable(),
        reconnectAttempts: z.number(),
      }),
    ),
    webhooks: z.object({ lastAt: z.string().nullable() }),
    drift: z.object({
      unrecordedActiveSessions: z.number(),
      underRecordedSessions: z.number(),
      agentsWithoutWorkload: z.number(),
      staleRecorders: z.number(),
      recordersOverCapacity: z.number(),
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
            recorderIds: [EXAMPLE.recorder],
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
          underRecordedSessions: 0,
          agentsWithoutWorkload: 0,
          staleRecorders: 0,
          recordersOverCapacity: 0,
          recordersWithWrongClock: 0,
        },
      },
    ],
  });
export type Statistics = z.infer<typeof Statistics>;
