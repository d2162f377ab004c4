import * as z from 'zod';

// bcrypt reads no further.
const MAX_PASSWORD_BYTES = 72;

/** An e-mail address as it is kept: trimmed, in lower case. */
export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.email().max(254))
  .meta({ format: 'email', maxLength: 254 });

/** A password that bcrypt reads whole. */
export const Password = z
  .string()
  .refine((password) => Buffer.byteLength(password) <= MAX_PASSWORD_BYTES, {
    error: `Too long: at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`,
  })
  .meta({ maxLength: MAX_PASSWORD_BYTES });
