import type { Problem } from '@session/contract';

type FieldError = NonNullable<Problem['errors']>[number];

/**
 * These limits bound an answer, because a body may have as many faults as fields. Our longest message names all actions
 * of the audit trail.
 */
const MAX_ERRORS = 20;
const MAX_PATH_LENGTH = 200;
const MAX_MESSAGE_LENGTH = 1000;

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: unknown;
  readonly errors?: unknown;
}

export function fieldErrors(part: string, issues: readonly Issue[]): FieldError[] {
  const found: Issue[] = [];
  for (const issue of issues) {
    if (found.length >= MAX_ERRORS) break;
    found.push(...expand(issue));
  }
  return found.slice(0, MAX_ERRORS).map(({ code, path, message }) => ({
    path: [part, ...path].join('.').slice(0, MAX_PATH_LENGTH),
    code,
    message: message.slice(0, MAX_MESSAGE_LENGTH),
  }));
}

/**
 * Returns the first fault for the log. Names only the first field of the path, because the names below it may be the
 * client's data.
 */
export function loggedFault(part: string, [first]: readonly Issue[]): string {
  if (!first) return part;
  return `${[part, ...first.path.slice(0, 1)].join('.')}: ${first.code}`;
}

export function detailOf([first, ...others]: readonly FieldError[]): string | undefined {
  if (!first) return undefined;
  const rest = others.length > 0 ? ' See `errors` for the other faults.' : '';
  return `${first.path}: ${first.message}.${rest}`;
}

/**
 * Splits an issue into faults: one for each unknown field, and for a choice between shapes only the faults of the
 * nearest shape.
 */
function expand(issue: Issue): Issue[] {
  const { path, keys, errors } = issue;
  if (issue.code === 'unrecognized_keys' && Array.isArray(keys)) {
    return keys.slice(0, MAX_ERRORS).map((key) => ({
      ...issue,
      path: [...path, String(key)],
      message: 'There is no field with this name',
    }));
  }
  if (issue.code !== 'invalid_union' || !Array.isArray(errors)) return [issue];
  const branches: Issue[][] = errors;
  const nearest = branches.find((branch) => branch.some((inner) => inner.path.length > 0));
  if (!nearest) return [issue];
  return nearest.flatMap((inner) => expand({ ...inner, path: [...path, ...inner.path] }));
}
