import { AppError } from '@session/kit';
import type { FastifyReply } from 'fastify';
import * as z from 'zod';

export const ifMatchHeaders = z.object({
  'if-match': z
    .string()
    .optional()
    .describe(
      'The `ETag` of the object as it was read: if it has changed since, nothing is done, and the answer is 412',
    ),
});

interface Versioned {
  readonly version: number;
}

export function replyTagged<Value extends Versioned>(reply: FastifyReply, value: Value): Value {
  void reply.header('etag', tagOf(value));
  return value;
}

/**
 * Throws `changed_meanwhile` when the header lists neither `*` nor the tag of `value.version`. Accepts weak tags, because
 * proxies that compress answers weaken them.
 */
export function assertMatch(header: string | undefined, value: Versioned): void {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (tags && !tags.includes('*') && !tags.includes(tagOf(value))) {
    throw new AppError('changed_meanwhile', `the version is ${value.version}`);
  }
}

function tagOf({ version }: Versioned): string {
  return `"${version}"`;
}
