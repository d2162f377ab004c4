/** PostgreSQL's codes for a lock that was waited for too long, and for a statement that took too long. */
const LOCKED = new Set<unknown>(['55P03', '57014']);

/** Whether a statement failed because another transaction holds a row. Such an error concerns one session alone. */
export function isLocked(error: unknown): boolean {
  return error instanceof Error && 'code' in error && LOCKED.has(error.code);
}
