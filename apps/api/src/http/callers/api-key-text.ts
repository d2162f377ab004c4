import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

// Without capitals and look-alikes. A double click selects the whole key.
const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LENGTH = 16;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const TEXT = /^(ck_([a-z2-7]{16})_([a-z2-7]{32}))([a-z2-7]{6})$/;

export const API_KEY_PREFIX = 'ck_';

export interface ApiKeyText {
  readonly id: string;
  readonly secretHash: Buffer;
}

/** Returns a new key: `text` is what callers send. Only its id and the hash of its secret are stored. */
export function newApiKey(): ApiKeyText & { readonly text: string } {
  const id = randomLetters(ID_LENGTH);
  const secret = randomLetters(SECRET_LENGTH);
  const signed = `${API_KEY_PREFIX}${id}_${secret}`;
  return { id, secretHash: hashOf(secret), text: `${signed}${checksumOf(signed)}` };
}

/**
 * Returns the parts of an API key; undefined for any other text. The checksum reveals a typing error without a query.
 */
export function parseApiKey(text: string): ApiKeyText | undefined {
  const [, signed = '', id = '', secret = '', checksum] = TEXT.exec(text) ?? [];
  return checksum === checksumOf(signed) ? { id, secretHash: hashOf(secret) } : undefined;
}

function randomLetters(length: number): string {
  return Array.from(randomBytes(length), letterOf).join('');
}

function checksumOf(signed: string): string {
  const sum = crc32(signed);
  let letters = '';
  for (let index = 0; index < CHECKSUM_LENGTH; index += 1) letters += letterOf(sum >>> (5 * index));
  return letters;
}

function letterOf(number: number): string {
  return LETTERS.charAt(number & 31);
}

function hashOf(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
