import type { ToolCall } from './chat-message.ts';

/** Apart from the calls, so that neither a request nor a record shows it. */
const ORIGINS = new WeakMap<ToolCall, object>();

/** Notes which endpoint has asked for a call. */
export function noteOrigin(call: ToolCall, origin: object): void {
  ORIGINS.set(call, origin);
}

export function isFrom(call: ToolCall, origin: object): boolean {
  return ORIGINS.get(call) === origin;
}

/** Returns a copy of a call, of the same origin. */
export function withoutArguments(call: ToolCall): ToolCall {
  const copy = { ...call, arguments: '{}' };
  const origin = ORIGINS.get(call);
  if (origin) ORIGINS.set(copy, origin);
  return copy;
}
