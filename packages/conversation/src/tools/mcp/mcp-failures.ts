import { ModelFailure } from '../../model/model-failure.ts';
import { connectionFailure, MAY_BE_DONE, type UntimedResult } from '../call-result.ts';
import { TooLarge } from './answer-bounds.ts';
import { HttpRefusal } from './mcp-fetch.ts';

const INVALID_PARAMS = -32_602;
/** The codes with which a server refuses a call before any tool sees it. */
const REFUSALS = new Set([-32_700, -32_600, -32_601, INVALID_PARAMS]);
/** A server answers messages of an unknown session with these statuses, before any tool sees them. */
const UNKNOWN_SESSION = new Set([400, 404]);

export function isUnknownSession(error: unknown): boolean {
  return error instanceof HttpRefusal && UNKNOWN_SESSION.has(error.status);
}

/** Returns whether a new connection could help: the present one broke, or the server has forgotten this client. */
export function isLost(error: unknown): boolean {
  if (isUnknownSession(error)) return true;
  if (error instanceof ModelFailure) return error.kind === 'unreachable';
  return error instanceof Error && 'code' in error && String(error.code).startsWith('E');
}

/**
 * Returns the sentence for the model, in our own words: those of a server or a connection may instruct it, or quote a header.
 */
export function callFailure(error: unknown): UntimedResult {
  const fault = { state: 'failed', isCut: false, isFault: true } as const;
  if (error instanceof HttpRefusal) {
    const { status } = error;
    const isRefusal = status < 500;
    const text = isRefusal
      ? `The server refused the call (HTTP ${status}).`
      : failed(`HTTP ${status}`);
    return { ...fault, text, status };
  }
  const code = codeOf(error);
  if (code !== undefined) {
    const text = REFUSALS.has(code)
      ? `The server refused the call (${code}). Check the arguments.`
      : failed(code);
    return { ...fault, text, isFault: code !== INVALID_PARAMS };
  }
  if (isBroken(error)) return connectionFailure(error);
  return { ...fault, text: `The ${faultOf(error)}. ${MAY_BE_DONE}` };
}

export function reasonOf(error: unknown): string {
  if (error instanceof HttpRefusal || error instanceof ModelFailure) return error.message;
  if (error instanceof DOMException) return 'no answer in time';
  const code = codeOf(error);
  return code === undefined ? `the ${faultOf(error)}` : `the server refuses with code ${code}`;
}

function failed(code: number | string): string {
  return `The server failed (${code}). ${MAY_BE_DONE}`;
}

function isBroken(error: unknown): boolean {
  return error instanceof ModelFailure || isLost(error);
}

function faultOf(error: unknown): string {
  if (error instanceof TooLarge) return 'answer is too large';
  return isBroken(error) ? 'connection failed' : 'answer is not valid';
}

function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
}
