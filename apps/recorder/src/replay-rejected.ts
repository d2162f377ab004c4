import {
  appendMessages,
  bind,
  closeRefusedGap,
  isIntervalEnded,
  listMessagesWithoutRawId,
  openDatabase,
} from '@session/db';
import { loadEnvFile, runMain, StartError } from '@session/kit';
import { loadFolderConfig } from './config.ts';
import { replayRejected } from './history/rejected/replay-rejected.ts';
import { findStored } from './session/missing-messages.ts';

// Stores the rejected messages of one recorder again.
await runMain(async () => {
  loadEnvFile();
  const { databaseDirectUrl, spoolFolder: folder } = loadFolderConfig(process.env);
  const settings = { applicationName: 'replay-rejected', connections: 1 };
  await using database = openDatabase(databaseDirectUrl, settings);
  const queries = bind(database, { appendMessages, closeRefusedGap });
  const { stored, refused, deleted, unreadable, left } = await replayRejected({
    folder,
    queries,
    findStored: (messages) =>
      findStored(messages, bind(database, { isIntervalEnded, listMessagesWithoutRawId })),
  });
  process.stdout.write(
    `stored again ${stored} · refused again ${refused} · of deleted sessions ${deleted} · unreadable ${unreadable}\n`,
  );
  if (left > 0) {
    throw new StartError(
      `The database is unavailable: ${left} messages are left. Run this program again later.`,
    );
  }
});
