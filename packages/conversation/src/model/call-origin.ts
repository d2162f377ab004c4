import type { ToolCall } from './chat-message.ts';

/** Kept outside the calls, so that origins appear in no request and in no log. */
const ORIGINS = new WeakMap<ToolCall, object>();

export function noteOrigin(call: ToolCall, origin: object): void {
  ORIGINS.set(call, origin);
}

export function isFrom(call: ToolCall, origin: object): boolean {
  return ORIGINS.get(call) === origin;
}

/** Returns a copy of a call with empty arguments and the same origin. */
export function withoutArguments(call: ToolCall): ToolCall {
  const copy = { ...call, arguments: '{}' };
  const origin = ORIGINS.get(call);
  if (origin) ORIGINS.set(copy, origin);
  return copy;
}
