import { randomBytes } from 'node:crypto';
import { openDatabase, resetPassword } from '@session/db';
import { databaseUrl, loadEnvFile, readEnv, runMain, StartError } from '@session/kit';
import * as z from 'zod';
import { BCRYPT_ROUNDS, Email } from './features/auth/auth-schema.ts';
import { hash } from './features/auth/bcrypt-worker.ts';

const PASSWORD_BYTES = 15;

// Gives an account a password that its owner changes after the next login.
await runMain(async () => {
  loadEnvFile();
  const { data: email } = Email.safeParse(process.argv[2]);
  if (email === undefined) {
    throw new StartError('Name the e-mail address of the account, as in: ada@example.org');
  }
  const { DATABASE_URL } = readEnv(z.object({ DATABASE_URL: databaseUrl() }), process.env);
  const settings = { applicationName: 'reset-password', connections: 1 };
  await using database = openDatabase(DATABASE_URL, settings);
  const password = randomBytes(PASSWORD_BYTES).toString('base64url');
  const passwordHash = await hash({ password, rounds: BCRYPT_ROUNDS });
  const version = await resetPassword(database, { email, passwordHash });
  if (version === undefined) throw new StartError(`No account has the e-mail address ${email}.`);
  process.stdout.write(`password of ${email} until its owner changes it: ${password}\n`);
});
