import { compare as compareWithBcrypt, hash as hashWithBcrypt } from 'bcryptjs';

// Runs in the threads of `password-hasher.ts`. Piscina calls these functions by name.

/** Returns the bcrypt hash of a password, with a new salt. */
export async function hash({ password, rounds }: { password: string; rounds: number }) {
  return await hashWithBcrypt(password, rounds);
}

/** Returns whether `hashed` is a hash of the password. */
export async function compare({ password, hashed }: { password: string; hashed: string }) {
  return await compareWithBcrypt(password, hashed);
}
