import { createHmac } from 'node:crypto';
import { networkOf } from '../../http/plugins/rate-limit.ts';

/**
 * Returns what is stored of a login's network. Without the secret, nobody can read the address from it. A new secret
 * makes all networks unknown.
 */
export function loginNetworkOf(
  jwt: { readonly secret: string },
  email: string,
  ip: string,
): string {
  const hmac = createHmac('sha256', jwt.secret).update(`login ${email} ${networkOf(ip)}`);
  return hmac.digest('base64url').slice(0, 22);
}
