import { cutToBytes } from '@session/contract/room';
import { MAX_PIECE_LENGTH, type Mask, maskSpans } from '@session/kit/mask';
import { ModelFailure } from '../model/model-failure.ts';

export interface CallResult {
  readonly state: 'done' | 'failed' | 'cancelled' | 'timeout';
  readonly text: string;
  readonly isCut: boolean;
  readonly status?: number;
  /** Whether the server or the connection is at fault, rather than the arguments. */
  readonly isFault: boolean;
  readonly durationMs: number;
}

export type UntimedResult = Omit<CallResult, 'durationMs'>;

const MAX_TEXT_BYTES = 8192;
/**
 * Masking shortens a text, so more of it is read than is shown. A secret may also extend beyond the part that is shown.
 */
const MAX_MASKED_LENGTH = 2 * MAX_TEXT_BYTES;
const REACH = 2 * MAX_PIECE_LENGTH;

export const MAY_BE_DONE = 'The call may have been carried out.';

interface TimedTool {
  readonly timeoutMs: number;
  readonly mayHaveEffects: boolean;
}

/**
 * Makes a call within its time limit, and ends it when `signal` aborts. Never throws: `failed` turns an error into a
 * sentence.
 */
export async function timedCall(
  { timeoutMs, mayHaveEffects }: TimedTool,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<UntimedResult>,
  failed: (error: unknown) => UntimedResult,
): Promise<CallResult> {
  const began = performance.now();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  const end = (ended: UntimedResult) => ({ ...ended, durationMs: performance.now() - began });
  try {
    return end(await send(either));
  } catch (error) {
    if (signal?.aborted) return end(cancelled(mayHaveEffects));
    if (timeout.signal.aborted) return end(timedOut(timeoutMs));
    return end(failed(error));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns what a model sees of `body`: masked, then cut. `isWhole` is true if `body` is everything that the server
 * answered.
 */
export function shownText(
  body: string,
  isWhole: boolean,
  mask: Mask,
): { readonly text: string; readonly isCut: boolean } {
  const seen = body.slice(0, MAX_MASKED_LENGTH + REACH);
  const masked = maskSpans(seen, mask.spansIn(seen), 0, MAX_MASKED_LENGTH);
  const text = cutToBytes(masked, MAX_TEXT_BYTES);
  const isCut = !isWhole || text.length < masked.length || body.length > MAX_MASKED_LENGTH;
  return { text, isCut };
}

export function refusal(text: string): UntimedResult {
  return { state: 'failed', text, isCut: false, isFault: false };
}

/** Returns the failure in our own words, because a connection's error message may quote an address or a header. */
export function connectionFailure(error: unknown): UntimedResult {
  const fault = { state: 'failed', isCut: false, isFault: true } as const;
  const isRefused = error instanceof ModelFailure && error.kind === 'refused';
  if (isRefused && typeof error.cause === 'number') {
    const text = `The server redirects, which is not followed. ${MAY_BE_DONE}`;
    return { ...fault, text, status: error.cause };
  }
  const text = isRefused
    ? 'Not called: its address is not open to tools.'
    : `The connection failed. ${MAY_BE_DONE}`;
  return { ...fault, text };
}

function cancelled(mayHaveEffects: boolean): UntimedResult {
  const doubt = mayHaveEffects ? ` ${MAY_BE_DONE}` : '';
  const text = `Cancelled: the user spoke before it ended.${doubt}`;
  return { state: 'cancelled', text, isCut: false, isFault: false };
}

function timedOut(timeoutMs: number): UntimedResult {
  const text = `No answer within ${timeoutMs / 1000} seconds. ${MAY_BE_DONE}`;
  return { state: 'timeout', text, isCut: false, isFault: true };
}
