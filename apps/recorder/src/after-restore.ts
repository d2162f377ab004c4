import { recordingGap } from '@session/contract/room';
import {
  appendMessages,
  closeRestoredHistory,
  listConnectedPrograms,
  listGaps,
  openDatabase,
  prepareDatabase,
} from '@session/db';
import { databaseUrl, loadEnvFile, readEnv, runMain, StartError } from '@session/kit';
import * as z from 'zod';

const LIMIT_MS = 3_600_000;

// Prepares a database that was restored to an earlier time, before any program uses it.
await runMain(async (stop) => {
  loadEnvFile();
  // DATABASE_DIRECT_URL is not read, because a file `.env` may still name the damaged server there.
  const { DATABASE_URL: url } = readEnv(z.object({ DATABASE_URL: databaseUrl() }), process.env);
  // The backup may be older than this release.
  await prepareDatabase({ databaseUrl: url, databaseDirectUrl: url }, { stop });
  const settings = {
    applicationName: 'after-restore',
    connections: 1,
    statementTimeoutMs: LIMIT_MS,
  };
  await using database = openDatabase(url, settings);
  const programs = await listConnectedPrograms(database);
  if (programs.length > 0) {
    throw new StartError(
      `DATABASE_URL is already in use by ${programs.join(', ')}: stop them, or restore to a server that they do not use.`,
    );
  }
  const { restoredTo, endedIntervals, sessions, closedSessions } =
    await closeRestoredHistory(database);
  // Recorders store the messages of all other gaps, when they cover the sessions again.
  const gaps = await listGaps(database, closedSessions);
  const messages = gaps.map((gap) => recordingGap(gap, Date.now()));
  await appendMessages(database, messages, { waitForLocks: true });
  const { host: hosts, port: ports, database: name } = database.sql.options;
  const servers = hosts.map((host, index) => `${host}:${ports[index]}`).join();
  process.stdout.write(
    `prepared ${servers}/${name} · restored to ${restoredTo ?? 'a time before the first recorder'} · recordings ended there ${endedIntervals} · ACTIVE sessions ${sessions}\n`,
  );
});
