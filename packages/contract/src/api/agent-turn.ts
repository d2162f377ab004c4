import * as z from 'zod';
import { EXAMPLE, examplesOf } from './example.ts';

const milliseconds = z.number().optional();
const count = z.number().optional();

const Figures = z.object({
  model: z.string().optional(),
  fallback: z.boolean().optional(),
  endOfTurnMs: milliseconds.describe(
    'From the end of what the person said to the beginning of the turn. The other times begin there',
  ),
  firstTokenMs: milliseconds,
  firstWordsMs: milliseconds.describe('To the first word that people saw or heard'),
  durationMs: milliseconds.describe('To the last word that people saw or heard'),
  modelCalls: count,
  toolCalls: count,
  promptTokens: count,
  completionTokens: count,
});

const FIGURES = {
  model: 'gpt-4.1-mini',
  fallback: false,
  endOfTurnMs: 640,
  firstTokenMs: 310,
  firstWordsMs: 320,
  durationMs: 2100,
  modelCalls: 2,
  toolCalls: 1,
  promptTokens: 900,
  completionTokens: 60,
} as const;

export const AgentTurn = z
  .object({
    messageId: z.string(),
    timestamp: z.string().describe('When the answer began, as in the history'),
    interrupted: z.boolean(),
    truncated: z.boolean(),
    figures: Figures.describe('As the agent measured them; what it did not measure is absent'),
  })
  .meta({
    id: 'AgentTurn',
    examples: [
      {
        messageId: EXAMPLE.message,
        timestamp: EXAMPLE.later,
        interrupted: false,
        truncated: false,
        figures: FIGURES,
      },
    ],
  });
export type AgentTurn = z.infer<typeof AgentTurn>;

const Percentiles = z.object({ p50: z.number().nullable(), p95: z.number().nullable() });

const AgentTurnSummary = z
  .object({
    turns: z.number(),
    endOfTurnMs: Percentiles,
    firstTokenMs: Percentiles,
    firstWordsMs: Percentiles,
    durationMs: Percentiles,
  })
  .meta({
    id: 'AgentTurnSummary',
    examples: [
      {
        turns: 12,
        endOfTurnMs: { p50: 640, p95: 910 },
        firstTokenMs: { p50: 310, p95: 870 },
        firstWordsMs: { p50: 320, p95: 880 },
        durationMs: { p50: 2100, p95: 6400 },
      },
    ],
  });

export const AgentTurns = z
  .object({
    items: z.array(AgentTurn),
    nextCursor: z.string().nullable(),
    summary: AgentTurnSummary.describe(
      'Of the turns among the newest 5,000 messages of the agent’s time in the session, on every page. A time that no turn has is null',
    ),
  })
  .meta({
    id: 'AgentTurns',
    examples: [
      {
        items: examplesOf(AgentTurn),
        nextCursor: null,
        summary: examplesOf(AgentTurnSummary)[0],
      },
    ],
  });
export type AgentTurns = z.infer<typeof AgentTurns>;
