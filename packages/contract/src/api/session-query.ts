import * as z from 'zod';
import { Since } from './message.ts';
import { PageQuery } from './page.ts';
import { ExternalId, Metadata, Session } from './session.ts';

export const MAX_QUERY_WORDS = 10;
const KEY = /^metadata\[([^[\]]{1,40})\]$/;

/** Collects the parameters `metadata[key]`. Others, such as `metadata[__proto__]`, stay, and are refused as unknown. */
function gatherMetadata(query: unknown): unknown {
  if (typeof query !== 'object' || query === null) return query;
  const rest: [string, unknown][] = [];
  const metadata: [string, unknown][] = [];
  for (const [name, value] of Object.entries(query)) {
    const key = KEY.exec(name)?.[1];
    if (key === undefined || key === '__proto__') rest.push([name, value]);
    else metadata.push([key, value]);
  }
  if (metadata.length === 0) return query;
  return { ...Object.fromEntries(rest), metadata: Object.fromEntries(metadata) };
}

/**
 * Which sessions of a project to list. In the URL, `metadata` has one parameter for each key:
 * `metadata[customer]=c-17`.
 */
export const SessionsQuery = z.preprocess(
  gatherMetadata,
  PageQuery.extend({
    order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .describe('`desc`: the newest session first; `asc`: the oldest first'),
    status: Session.shape.status.optional(),
    q: z
      .string()
      .max(200)
      .refine((q) => (q.match(/[\p{Alphabetic}0-9]+/gu)?.length ?? 0) <= MAX_QUERY_WORDS, {
        error: `at most ${MAX_QUERY_WORDS} words are allowed`,
      })
      .optional()
      .describe(
        `Words, up to ${MAX_QUERY_WORDS}: each of them begins a word of the session's name. Case does not matter, accents do`,
      ),
    externalId: ExternalId.optional().describe('The only session with this external id'),
    metadata: Metadata.optional().describe(
      'A parameter for each key, as in `metadata[customer]=c-17`: the session has all these values',
    ),
    participant: ExternalId.optional().describe(
      'Sessions for which your end user with this id, as `participant.id` names it, got a token',
    ),
    createdAfter: Since.optional().describe('Sessions that were created later than this time'),
    createdBefore: Since.optional().describe('Sessions that were created before this time'),
  }),
);
