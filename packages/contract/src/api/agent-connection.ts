import * as z from 'zod';
import { EXAMPLE } from './example.ts';

const OptionalText = z.string().optional();

export const AgentConnection = z
  .object({
    MEDIA_URL: z.string(),
    MEDIA_TOKEN: z.string().meta({ description: 'Lets the agent join its room, and no other' }),
    MEDIA_ROOM: z.string(),
    MEDIA_PACKET_KEY: z.string().meta({
      description: 'The public key with which the agent verifies the packets of the API',
    }),
    SESSION_ID: z.string(),
    AGENT_ID: z.string(),
    PROJECT_ID: z.string(),
    PLAN: OptionalText.meta({ description: 'The plan, as JSON' }),
    CONVERSATION: OptionalText.meta({ description: 'What was said so far, as JSON' }),
    AGENT_DEFINITION: OptionalText.meta({
      description: 'The tools and MCP servers of the agent template, as JSON',
    }),
    expiresAt: z.string(),
  })
  .catchall(OptionalText)
  .meta({
    id: 'AgentConnection',
    description:
      'With an agent template also `INSTRUCTIONS`, `GREETING`, `LLM_MODEL` and so on, but no value of an environment template',
    examples: [
      {
        MEDIA_URL: 'wss://media.example.org',
        MEDIA_TOKEN: 'eyJhbGciOiJIUzI1NiJ9.…',
        MEDIA_ROOM: EXAMPLE.session,
        MEDIA_PACKET_KEY: 'pgn0qTvEVYmyyLcxPhxk9cMo2BZvB2tDSjwIuMTGwvQ',
        SESSION_ID: EXAMPLE.session,
        AGENT_ID: EXAMPLE.agent,
        PROJECT_ID: EXAMPLE.project,
        expiresAt: EXAMPLE.later,
      },
    ],
  });
export type AgentConnection = z.infer<typeof AgentConnection>;
