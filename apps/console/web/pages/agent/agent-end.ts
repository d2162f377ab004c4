import type { Agent } from '@session/contract';

/** The reasons have no full stop, because `reasonSentence` adds it. */
const REASONS = new Map([
  ['requested', 'Stopped on request'],
  ['completed', 'Finished: its program ended by itself'],
  ['crashed', 'Its program crashed'],
  ['out_of_memory', 'It needed more memory than it may have'],
  ['image_error', 'Its image could not be loaded'],
  ['start_timeout', 'It was not ready in time'],
  ['no_capacity', 'There is no capacity for it'],
  ['evicted', 'It was stopped with the service or the machine that ran it'],
  ['max_duration', 'It ran for as long as an agent may'],
  ['session_closed', 'The session was closed'],
  ['lost', 'Its process or pod disappeared'],
  ['bad_configuration', 'Its configuration is refused'],
  ['never_joined', 'It did not join the room in time'],
  ['left', 'It left the room, and did not come back'],
  ['conversation_ended', 'It ended the conversation'],
  ['handed_over', 'Another agent goes on in its place'],
]);

const EXPECTED = new Set([
  'requested',
  'completed',
  'session_closed',
  'max_duration',
  'conversation_ended',
  'handed_over',
]);

function reasonSentence(reason: string | null): string {
  if (reason === null) return 'Stopped.';
  return `${REASONS.get(reason) ?? `Stopped: ${reason}`}.`;
}

/** Returns whole sentences about why an agent stopped, or is about to stop; null for an agent that continues. */
export function endSentences(
  agent: Pick<Agent, 'status' | 'reason' | 'detail' | 'exitCode'>,
): string | null {
  const { status, reason, detail, exitCode } = agent;
  if (status !== 'Stopped' && reason === null) return null;
  const isCrash = reason === 'crashed' && exitCode !== null;
  const first = isCrash
    ? `Its program crashed with exit code ${exitCode}.`
    : reasonSentence(reason);
  if (!detail) return first;
  const second = asSentence(detail);
  // A detail may begin with the reason itself.
  const opening = first.slice(0, -1);
  return second.startsWith(opening) ? second : `${first} ${second}`;
}

export function isBadEnd({ status, reason }: Pick<Agent, 'status' | 'reason'>): boolean {
  return status === 'Stopped' && reason !== null && !EXPECTED.has(reason);
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?…]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
