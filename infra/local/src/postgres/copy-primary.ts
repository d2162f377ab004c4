import { chown, copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { hasCode } from '@session/kit';
import postgres from 'postgres';
import type { PostgresHome } from './home.ts';

export interface Primary {
  /** A superuser's URL to the database `postgres`. */
  readonly url: string;
  /** The port at which the standby receives changes: a relay's, or the primary's own. */
  readonly walPort: number;
}

/** Names the standby's replication slot, and the standby in `synchronous_standby_names`. */
export const STANDBY = 'standby';

/** Folders whose content belongs to the running primary alone. The standby receives the WAL that it needs. */
const CONTENT_STAYS = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);
const FILES_STAY = new Set(['postmaster.opts', 'postmaster.pid']);

/**
 * Fills `data` with a copy of the running `primary`, as a standby that follows it. The packaged PostgreSQL has no
 * pg_basebackup, so this is https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function copyPrimary(
  { user }: PostgresHome,
  data: string,
  primary: Primary,
): Promise<void> {
  const draft = `${data}.draft`;
  for (const folder of [draft, data]) await rm(folder, { recursive: true, force: true });
  // One connection: the backup ends with the session that began it.
  const admin = postgres(primary.url, { max: 1, fetch_types: false, onnotice: () => {} });
  try {
    const [source] = await admin`select current_setting('data_directory') as data`;
    // From here on, the primary keeps the WAL that the standby will ask for.
    await admin`select pg_create_physical_replication_slot(${STANDBY}, true)`;
    await admin`select pg_backup_start(${STANDBY}, true)`;
    await copyFolder(String(source?.['data']), draft);
    const [backup] = await admin`select labelfile from pg_backup_stop(false)`;
    await writeFile(path.join(draft, 'backup_label'), String(backup?.['labelfile']));
  } finally {
    await admin.end({ timeout: 1 });
  }
  await writeFile(path.join(draft, 'standby.signal'), '');
  // Replaces the primary's own settings.
  await writeFile(path.join(draft, 'postgresql.auto.conf'), settingsOf(primary));
  if (user) await giveTo(user, draft);
  await rename(draft, data);
}

function settingsOf({ url, walPort }: Primary): string {
  const { hostname, username, password } = new URL(url);
  const connection = `host=${hostname} port=${walPort} user=${username} password=${password}`;
  return [
    `primary_conninfo = '${connection} application_name=${STANDBY}'`,
    `primary_slot_name = '${STANDBY}'`,
    '',
  ].join('\n');
}

/**
 * Copies the data of a running server. Files that the server removes meanwhile are missing in the copy. The replay of the
 * WAL tolerates this.
 */
async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, copy] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (CONTENT_STAYS.has(entry.name)) await mkdir(copy, { mode: 0o700 });
    else if (entry.isDirectory()) await copyFolder(source, copy);
    else if (!FILES_STAY.has(entry.name)) {
      await copyFile(source, copy).catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT')) throw error;
      });
    }
  }
}

async function giveTo({ uid, gid }: { uid: number; gid: number }, folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  for (const name of ['', ...names]) await chown(path.join(folder, name), uid, gid);
}
