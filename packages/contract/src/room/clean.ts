import type { EventSender, Participant } from './room-event.ts';

const MAX_CONTENT_BYTES = 65_536;
/** PostgreSQL refuses JSON that is nested too deeply. */
const MAX_JSON_DEPTH = 64;
export const MAX_SHORT_LENGTH = 256;
const REPLACEMENT_CHARACTER = '\uFFFD';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Returns `text` in a form that PostgreSQL can store: U+0000 and lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT_CHARACTER);
}

/** Returns the clean text, cut after a whole character to `maxBytes` of UTF-8 (64 KiB by default), and whether it was cut. */
export function cleanContent(
  text: string,
  maxBytes = MAX_CONTENT_BYTES,
): { content: string; isCut: boolean } {
  const whole = cleanText(text);
  const content = cutToBytes(whole, maxBytes);
  return { content, isCut: content.length < whole.length };
}

/** Returns the beginning of `text`, with at most `maxBytes` of UTF-8, cut after a whole character. */
export function cutToBytes(text: string, maxBytes: number): string {
  // A UTF-16 unit takes at most three bytes in UTF-8, so the bytes of a short text need no counting.
  if (text.length * 3 <= maxBytes) return text;
  // Not `encodeInto`: in Node 26 it leaves out a last character that would just fit.
  const bytes = encoder.encode(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (isContinuation(bytes[end])) end -= 1;
  return decoder.decode(bytes.subarray(0, end));
}

function isContinuation(byte = 0): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

/** Returns the clean text of an id or a language; null for any value that is not 1 to 256 characters. */
export function shortTextOf(value: unknown): string | null {
  const isShort = typeof value === 'string' && value !== '' && value.length <= MAX_SHORT_LENGTH;
  return isShort ? cleanText(value) : null;
}

export function cleanJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_JSON_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, depth + 1)]),
  );
}

export function cleanParticipant({ identity, name, sid, kind }: Participant): Participant {
  return {
    identity: cleanText(identity),
    name: cleanText(name),
    sid: sid === null ? null : cleanText(sid),
    kind: cleanText(kind),
  };
}

export function cleanSender({ sender, candidates }: EventSender): {
  readonly participant: Participant | null;
  readonly candidates?: readonly string[];
} {
  if (sender) return { participant: cleanParticipant(sender) };
  const identities = candidates?.map(({ identity }) => cleanText(identity));
  return { participant: null, ...(identities && { candidates: identities }) };
}

export function timeField<Name extends string>(
  name: Name,
  time: unknown,
): { [K in Name]?: string } {
  if (typeof time !== 'number' && typeof time !== 'string') return {};
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return {};
  const field: { [K in Name]?: string } = {};
  field[name] = date.toISOString();
  return field;
}
