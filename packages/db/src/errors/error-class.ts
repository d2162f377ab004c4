import { hasCode } from '@session/kit';

/**
 * What an error means for its statement. `value`: the statement always fails. `away`: it may succeed later. `session`:
 * something that belongs to one session is locked, or takes too long. `unknown`: any of these.
 */
export type ErrorClass = 'value' | 'away' | 'session' | 'unknown';

/**
 * By the first characters of the SQLSTATE; the first match counts. All others, such as 42501, XX000 and P0001, are `unknown`.
 * https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
const SQLSTATES: readonly (readonly [prefix: string, ErrorClass])[] = [
  // The statement took too long, or waited too long for a lock.
  ['57014', 'session'],
  ['55P03', 'session'],
  // A value that cannot be stored; a violated constraint; too large or too complex.
  ['22', 'value'],
  ['23', 'value'],
  ['54', 'value'],
  // The transaction is read-only: the server is a standby, or is becoming one.
  ['25006', 'away'],
  // The connection; deadlock or serialization; memory, disk or connections; shutdown or recovery; the server's disk.
  ['08', 'away'],
  ['40', 'away'],
  ['53', 'away'],
  ['57', 'away'],
  ['58', 'away'],
];

const UNREACHABLE = new Set([
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);

const SQLSTATE = /^[0-9A-Z]{5}$/;

export function isTimeout(error: unknown): boolean {
  return hasCode(error, '57014');
}

function classOfCode(code: string): ErrorClass {
  if (UNREACHABLE.has(code)) return 'away';
  if (!SQLSTATE.test(code)) return 'unknown';
  return SQLSTATES.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'unknown';
}

/** Returns the class of the error's code, or of the first of its causes whose code has a known class. */
export function classOfError(error: unknown): ErrorClass {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const own = classOfCode(code);
  return own === 'unknown' ? classOfError(error.cause) : own;
}
