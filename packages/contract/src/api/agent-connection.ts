import * as z from 'zod';
import { EXAMPLE } from './example.ts';

const Json = z.string().optional();

/** The environment variables with which an external agent runs, and until when its token lets it join. */
export const AgentConnection = z
  .object({
    MEDIA_URL: z.string(),
    MEDIA_TOKEN: z.string().meta({ description: 'Lets the agent join its room, and no other' }),
    MEDIA_ROOM: z.string(),
    MEDIA_PACKET_KEY: z.string().meta({
      description: 'The public key by which the agent knows the packets of the API',
    }),
    SESSION_ID: z.string(),
    AGENT_ID: z.string(),
    PROJECT_ID: z.string(),
    PLAN: Json.meta({ description: 'The plan, as JSON' }),
    CONVERSATION: Json.meta({ description: 'What was said so far, as JSON' }),
    AGENT_DEFINITION: Json.meta({ description: 'The tools of the agent template, as JSON' }),
    expiresAt: z.string(),
  })
  .catchall(z.string())
  .meta({
    id: 'AgentConnection',
    description:
      'Of an agent template also `INSTRUCTIONS`, `GREETING`, `LLM_MODEL` and so on. Never a value of an environment template',
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

const JSON_VARIABLES: ReadonlySet<string> = new Set(['PLAN', 'CONVERSATION', 'AGENT_DEFINITION']);
const JSON_ESCAPES: Readonly<Record<string, string>> = {
  '\\\\': '\\u005c',
  "'": '\\u0027',
  $: '\\u0024',
};

/**
 * Returns the lines of a file `.env` with these variables. Shells, Node, and the dotenv libraries of Node and Python read the
 * same values from it. They agree on no escape for an apostrophe: in JSON it becomes `\u0027`, in a text a typographic one.
 */
export function connectionLines({ expiresAt, ...variables }: AgentConnection): string {
  const lines = Object.entries(variables).map(([name, value = '']) => {
    const quotable = JSON_VARIABLES.has(name)
      ? value.replaceAll(/\\\\|'|\$/g, (text) => JSON_ESCAPES[text] ?? text)
      : value.replaceAll("'", '’');
    return `${name}='${quotable}'\n`;
  });
  return `# The token lets the agent join until ${expiresAt}.\n${lines.join('')}`;
}
