import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openDatabase } from '@session/db';
import { createFormerDatabase, freePort, startMediaServer } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { health, startRecorderProcess, tempFolder } from '../testing/recorder-process.ts';
import { until } from '../testing/stage.ts';

const SESSION = '01a1fd7a-c971-7694-8392-ef82743089a4';
const RECORDER = '01a1fd7a-0000-7694-8392-ef82743089a4';
const INTERVAL = '01a1fd7a-1111-7694-8392-ef82743089a4';
const MINUTE_MS = 60_000;

test('a recorder of the former release starts again with its id, its spool, its slot and the webhook address that LiveKit has', async () => {
  const port = await freePort('127.0.0.1');
  const webhookUrl = `http://127.0.0.1:${port}/webhooks/media`;
  await using media = await startMediaServer({ webhookUrls: [webhookUrl] });
  await using former = await createFormerDatabase(7);
  await using database = openDatabase(former.url);
  await database.sql.unsafe(ROWS);
  await using temp = await tempFolder();
  await writeSpool(temp.folder, Date.now() - MINUTE_MS);

  await using program = await startRecorderProcess({
    DATABASE_URL: former.url,
    MEDIA_URL: media.url,
    MEDIA_API_KEY: media.apiKey,
    MEDIA_API_SECRET: media.apiSecret,
    METRICS_PORT: String(port),
    RECORDER_SPOOL_DIR: temp.folder,
  });
  await until(async () => (await health(program))['queueLength'] === 0);
  const stored = await database.sql`
    select kind, content from messages where kind <> 'recording_gap' order by "timestamp"`;
  expect(stored).toEqual([
    { kind: 'text', content: 'before the outage' },
    { kind: 'text', content: 'with an id' },
    { kind: 'text', content: 'without an id' },
  ]);
  await until(async () => (await readdir(path.join(temp.folder, 'spool'))).length === 0);
  await until(async () => {
    const [slot] = await database.sql`select recorder_id, status from recording_assignments`;
    return slot?.['recorder_id'] === RECORDER && slot['status'] === 'recording';
  });
  expect(await health(program)).toMatchObject({ code: 200, recorderId: RECORDER, epoch: 4 });
  // The time of the dropped messages is a gap.
  await until(async () => {
    const gaps = await database.sql`
      select from messages where kind = 'recording_gap' and metadata #>> '{reason}' = 'storage_full'`;
    return gaps.length > 0;
  });
  const unsigned = await fetch(webhookUrl, { method: 'POST', body: '{}' });
  expect(unsigned.status).toBe(401);
});

/** What the recorder had stored when it was killed, a minute ago. */
const ROWS = `
  insert into users (id, email, password_hash, name) values ('${RECORDER}', 'ana@example.org', '-', 'Ana');
  insert into projects (id, name) values ('${RECORDER}', 'project');
  insert into sessions (id, project_id, name, created_by, created_at)
    values ('${SESSION}', '${RECORDER}', 'session', '${RECORDER}', now() - interval '10 min');
  insert into messages (session_id, id, "timestamp", role, status, kind, content)
    values ('${SESSION}', gen_random_uuid(), now() - interval '2 min', 'user', 'complete', 'text', 'before the outage');
  insert into session_heads (session_id, last_at, message_count) values ('${SESSION}', now() - interval '2 min', 1);
  insert into recorders (id, epoch, capacity, heartbeat_at, flushed_at)
    values ('${RECORDER}', 3, 200, now() - interval '1 min', now() - interval '2 min');
  insert into recording_assignments (session_id, recorder_id, status, epoch) values ('${SESSION}', '${RECORDER}', 'recording', 2);
  insert into recording_intervals (session_id, id, recorder_id, from_at)
    values ('${SESSION}', '${INTERVAL}', '${RECORDER}', now() - interval '9 min')`;

/**
 * Writes the folder of a recorder as the former release did: the recorder's id, and the messages that it could not
 * store.
 */
async function writeSpool(folder: string, at: number): Promise<void> {
  const participant = '{"identity":"user-1","name":"Ana","sid":"PA_1","kind":"standard"}';
  const said = (content: string, rawId: string | null, more = '') =>
    `{"id":"${rawId ?? uuidv7()}","sessionId":"${SESSION}","role":"user","status":"complete","kind":"text",` +
    `"content":"${content}","metadata":{"kind":"text","participant":${participant},"source":"user_text",` +
    `"rawId":${JSON.stringify(rawId)}},"receivedAt":${at}${more}}`;
  const lostAt = at - 3 * MINUTE_MS;
  const lines = [
    said('with an id', uuidv7()),
    said('without an id', null, `,"intervalId":"${INTERVAL}"`),
    `{"kind":"loss","sessionId":"${SESSION}","receivedAt":${lostAt},"until":${lostAt + 10},"count":3}`,
  ];
  await writeFile(path.join(folder, 'recorder-id'), `${RECORDER}\n`);
  await mkdir(path.join(folder, 'spool'), { mode: 0o700 });
  const file = path.join(folder, 'spool', `${uuidv7()}.jsonl`);
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
}
