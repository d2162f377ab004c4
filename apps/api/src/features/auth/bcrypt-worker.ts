import { compare as compareWithBcrypt, hash as hashWithBcrypt } from 'bcryptjs';

// What runs in the threads of `password-hasher.ts`; piscina calls these by name.

/** Gives the bcrypt hash of a password, with a salt of its own. */
export async function hash({ password, rounds }: { password: string; rounds: number }) {
  return await hashWithBcrypt(password, rounds);
}

/** Whether the password is the one that was hashed. */
export async function compare({ password, hashed }: { password: string; hashed: string }) {
  return await compareWithBcrypt(password, hashed);
}
