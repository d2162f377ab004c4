import { appendMessages, bind, closeRefusedGap, openDatabase } from '@session/db';
import { loadEnvFile, runMain, StartError } from '@session/kit';
import { loadFolderConfig } from './config.ts';
import { replayRejected } from './history/rejected/replay-rejected.ts';

// Stores the rejected messages of one recorder again.
await runMain(async () => {
  loadEnvFile();
  const { databaseDirectUrl, spoolFolder: folder } = loadFolderConfig(process.env);
  const settings = { applicationName: 'replay-rejected', connections: 1 };
  await using database = openDatabase(databaseDirectUrl, settings);
  const queries = bind(database, { appendMessages, closeRefusedGap });
  const { stored, refused, deleted, unreadable, left } = await replayRejected({ folder, queries });
  process.stdout.write(
    `stored again ${stored} · refused again ${refused} · of deleted sessions ${deleted} · unreadable ${unreadable}\n`,
  );
  if (left > 0) {
    throw new StartError(`The database is away: ${left} messages are left. Run this again.`);
  }
});
