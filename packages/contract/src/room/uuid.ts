import { sha1 } from './sha1.ts';

// The package `uuid` would take the SDK's main entry above its limit: docs/decisions/0012-libraries-that-are-not-taken.md

/** A UUID of versions 1 to 8, the nil UUID or the max UUID: https://www.rfc-editor.org/rfc/rfc9562 */
const UUID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}(?:-0{4}){3}-0{12}|f{8}(?:-f{4}){3}-f{12})$/i;
const GROUPS = /^(.{8})(.{4})(.{4})(.{4})/;
const BYTES = 16;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function uuidV5(text: string, namespace: string): string {
  const bytes = namespace.match(/[0-9a-f]{2}/gi)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  // Spread into an array, because engines limit the arguments of a call, some to 65,536.
  return format(sha1(new Uint8Array([...bytes, ...new TextEncoder().encode(text)])), 5);
}

/** Returns a new UUID of version 7: it begins with the time in milliseconds, and the rest is random. */
export function uuidV7(): string {
  const uuid = new DataView(crypto.getRandomValues(new Uint8Array(BYTES)).buffer);
  const now = Date.now();
  uuid.setUint32(0, now / 2 ** 16);
  uuid.setUint16(4, now);
  return format(uuid, 7);
}

/** Returns the first 16 bytes as text, with the given version and the variant of RFC 9562. */
function format(uuid: DataView, version: number): string {
  uuid.setUint8(6, (uuid.getUint8(6) & 0x0f) | (version << 4));
  uuid.setUint8(8, (uuid.getUint8(8) & 0x3f) | 0x80);
  const bytes = new Uint8Array(uuid.buffer, 0, BYTES);
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(GROUPS, '$1-$2-$3-$4-');
}
