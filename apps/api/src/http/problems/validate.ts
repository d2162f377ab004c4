import type { FastifySchemaCompiler } from 'fastify';
import * as z from 'zod';
import { sentenceOf } from './sentences.ts';

/** Checks a part of a request by its schema. Our sentences replace those of zod, unless the schema has its own. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data: unknown) => {
    const { error, data: value } = schema.safeParse(data, { error: sentenceOf });
    return error ? { error } : { value };
  };

export type InvalidPart = z.ZodError & { readonly validationContext: string };

export function isInvalidPart(error: unknown): error is InvalidPart {
  return error instanceof z.ZodError && 'validationContext' in error;
}
