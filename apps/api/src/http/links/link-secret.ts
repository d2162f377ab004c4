import { createHash, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

export function newLinkSecret(): { readonly secret: string; readonly secretHash: Buffer } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { secret, secretHash: linkHashOf(secret) };
}

export function linkHashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** Returns a link with the secret in its fragment, which browsers do not send to servers. */
export function linkOf(consoleUrl: string, page: 'invitation' | 'reset-password', secret: string) {
  return `${consoleUrl}/${page}#${secret}`;
}
