import { isFields } from '@session/contract/room';
import type { Problem } from '../shapes.ts';
import { ApiError } from './api-error.ts';

export async function readProblem(response: Response): Promise<ApiError> {
  const { status, statusText, headers } = response;
  // A failure whose text was cut off is still a failure.
  const text = await response.text().catch(() => '');
  const { code, title, detail, requestId, errors } = parseProblem(text);
  return new ApiError({
    code: code ?? `http_${status}`,
    status,
    title: title ?? (statusText || `HTTP status ${status}`),
    detail: detail ?? '',
    requestId: requestId ?? headers.get('x-request-id'),
    errors: errors ?? [],
    retryAfterMs: retryAfterOf(headers.get('retry-after')),
  });
}

function parseProblem(text: string): Partial<Problem> {
  try {
    const problem: unknown = JSON.parse(text);
    return isProblem(problem) ? problem : {};
  } catch {
    return {};
  }
}

function isProblem(value: unknown): value is Problem {
  if (!isFields(value)) return false;
  const { code, title, detail, requestId, errors } = value;
  return (
    [code, title, detail, requestId].every((text) => typeof text === 'string') &&
    (errors === undefined || Array.isArray(errors))
  );
}

function retryAfterOf(header: string | null): number | null {
  if (!header?.trim()) return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? null : Math.max(ms, 0);
}
