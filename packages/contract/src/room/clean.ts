import type { Participant } from './room-event.ts';

const MAX_CONTENT_BYTES = 65_536;
const MAX_DEPTH = 64;
const MAX_ID_LENGTH = 256;
const REPLACEMENT = '\uFFFD';

const encoder = new TextEncoder();

/** Gives `text` as PostgreSQL can hold it: U+0000 and lone surrogates become U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/** Gives the clean text cut to 64 KiB of UTF-8 at a whole character, and whether anything was cut. */
export function cleanContent(text: string): { content: string; isCut: boolean } {
  const content = cleanText(text);
  // A UTF-16 unit is three bytes at most, so short text needs no counting.
  if (content.length * 3 <= MAX_CONTENT_BYTES) return { content, isCut: false };
  const { read } = encoder.encodeInto(content, new Uint8Array(MAX_CONTENT_BYTES));
  return { content: content.slice(0, read), isCut: read < content.length };
}

/** Gives an id from the room if it can be one: not empty, and no longer than any real one. */
export function idOf(value: unknown): string | null {
  const isId = typeof value === 'string' && value !== '' && value.length <= MAX_ID_LENGTH;
  return isId ? cleanText(value) : null;
}

/** Gives a clean copy of parsed JSON; what lies deeper than 64 levels, where PostgreSQL gives up, becomes null. */
export function cleanJson(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((item) => cleanJson(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [cleanText(key), cleanJson(item, depth + 1)]),
  );
}

/** Gives the participant with clean texts, and without whatever else the object carries. */
export function cleanParticipant({ identity, name, sid, kind }: Participant): Participant {
  return {
    identity: cleanText(identity),
    name: cleanText(name),
    sid: sid === null ? null : cleanText(sid),
    kind: cleanText(kind),
  };
}

/**
 * Gives a field with a foreign clock's time, milliseconds since the epoch or a date's text, as ISO 8601; nothing when it
 * is no time.
 */
export function timeOf<Name extends string>(name: Name, time: unknown): { [K in Name]?: string } {
  if (typeof time !== 'number' && typeof time !== 'string') return {};
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return {};
  const field: { [K in Name]?: string } = {};
  field[name] = date.toISOString();
  return field;
}
