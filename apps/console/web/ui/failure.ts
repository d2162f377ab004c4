import { isApiError, isConnectionError } from '@session/client';

export interface Failure {
  readonly title: string;
  readonly detail: string;
  /** The request's id in the API's log; null if there was no answer, or none with an id. */
  readonly requestId: string | null;
}

export function failureOf(error: unknown): Failure {
  if (isApiError(error)) {
    const { title, detail, requestId, status } = error;
    return { title: title || `The service answered with ${status}`, detail, requestId };
  }
  if (isConnectionError(error)) {
    const detail = 'Check your network, and whether the service runs. Then try again.';
    return { title: 'The service cannot be reached', detail, requestId: null };
  }
  const detail = error instanceof Error ? error.message : String(error);
  return { title: 'Something went wrong on this page', detail, requestId: null };
}

export function failureSentence(error: unknown): string {
  const { title, detail } = failureOf(error);
  return `${title}. ${detail}`;
}

export function fieldError(error: unknown, field: string): string | undefined {
  if (!isApiError(error)) return undefined;
  return error.errors.find(({ path }) => path === `body.${field}`)?.message;
}

/** Returns the sentence about a field, or about a part of it, whose path then precedes the sentence: *properties.day: …*. */
export function errorBelow(error: unknown, field: string): string | undefined {
  if (!isApiError(error)) return undefined;
  const prefix = `body.${field}`;
  const found = error.errors.find(({ path }) => path === prefix || path.startsWith(`${prefix}.`));
  if (!found) return undefined;
  const part = found.path.slice(prefix.length + 1);
  return part === '' ? found.message : `${part}: ${found.message}`;
}

/** Returns whether the API named at least one of these fields. The sentence about a field is then shown beside that field. */
export function namesFields(error: unknown, fields: readonly string[]): boolean {
  return fields.some((field) => fieldError(error, field) !== undefined);
}
