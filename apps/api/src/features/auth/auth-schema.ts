import * as z from 'zod';

/** The specification of this service requires this number. */
export const BCRYPT_ROUNDS = 12;

// bcrypt ignores all further bytes.
const MAX_PASSWORD_BYTES = 72;

export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .meta({ format: 'email', maxLength: 254 });

export const UserName = z.string().trim().min(1).max(100);

export const Password = z
  .string()
  .refine((password) => Buffer.byteLength(password) <= MAX_PASSWORD_BYTES, {
    error: `Too long: at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`,
  })
  .meta({ maxLength: MAX_PASSWORD_BYTES });

export const NewPassword = Password.min(8);
