import { AppError } from '@session/kit';
import * as z from 'zod';
import type { Deps } from '../../deps.ts';
import type { SignInSecrets } from './identity-provider.ts';

const LIFETIME_MS = 10 * 60_000;

/** Binds sealed values to sign-ins. Nothing else that the vault seals has this `id`, so neither opens as the other. */
const PLACE = { id: 'sign-in', projectId: '' };

const Sealed = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  expiresAt: z.coerce.number(),
});

type Parts = Pick<Deps, 'vault' | 'now'>;

export function sealSignIn({ vault, now }: Parts, secrets: SignInSecrets): string {
  const expiresAt = String(now() + LIFETIME_MS);
  const { keyId, nonce, ciphertext } = vault.seal({ ...secrets, expiresAt }, PLACE);
  return [keyId, nonce.toString('base64url'), ciphertext.toString('base64url')].join('.');
}

/** Throws `sign_in_failed` for anything that `sealSignIn` did not return, and after ten minutes. */
export function openSignIn({ vault, now }: Parts, handle: string): SignInSecrets {
  const [keyId = '', nonce = '', ciphertext = ''] = handle.split('.');
  const opened = vault.open({
    ...PLACE,
    keyId,
    nonce: Buffer.from(nonce, 'base64url'),
    ciphertext: Buffer.from(ciphertext, 'base64url'),
  });
  const { data } = Sealed.safeParse(opened);
  if (!data) throw new AppError('sign_in_failed', 'the handle cannot be opened');
  if (now() >= data.expiresAt) throw new AppError('sign_in_failed', 'the sign-in has expired');
  return data;
}
