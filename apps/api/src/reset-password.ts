import { openDatabase, upsertPasswordLink } from '@session/db';
import { databaseUrl, loadEnvFile, readEnv, runMain, StartError } from '@session/kit';
import * as z from 'zod';
import { consoleUrl } from './config-shapes.ts';
import { Email } from './features/auth/auth-schema.ts';
import { linkOf, newLinkSecret } from './http/links/link-secret.ts';

// Prints a link for setting a new password for an account.
await runMain(async () => {
  loadEnvFile();
  const { data: email } = Email.safeParse(process.argv[2]);
  if (email === undefined) {
    throw new StartError('Name the e-mail address of the account, for example: ada@example.org');
  }
  const variables = z.object({ DATABASE_URL: databaseUrl(), CONSOLE_URL: consoleUrl() });
  const { DATABASE_URL, CONSOLE_URL } = readEnv(variables, process.env);
  const settings = { applicationName: 'reset-password', connections: 1 };
  await using database = openDatabase(DATABASE_URL, settings);
  const { secret, secretHash } = newLinkSecret();
  if (!(await upsertPasswordLink(database, { email, secretHash }))) {
    throw new StartError(`No account has the e-mail address ${email}.`);
  }
  const link = linkOf(CONSOLE_URL, 'reset-password', secret);
  process.stdout.write(`for ${email}, valid for an hour, once: ${link}\n`);
});
