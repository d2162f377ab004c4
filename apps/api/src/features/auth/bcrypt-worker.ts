import { compare as compareWithBcrypt, hash as hashWithBcrypt } from 'bcryptjs';

// Runs in the threads of `password-hasher.ts`, where Piscina calls these functions by name.

export async function hash({ password, rounds }: { password: string; rounds: number }) {
  return await hashWithBcrypt(password, rounds);
}

export async function compare({ password, hashed }: { password: string; hashed: string }) {
  return await compareWithBcrypt(password, hashed);
}
