import { stat } from 'node:fs/promises';
import path from 'node:path';
import { pause } from '@session/kit';
import { run } from '../supervision/tool.ts';
import type { DrillStack } from './drill-stack.ts';
import { keepSaying, openRoom } from './room.ts';
import { runSql } from './sql.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const replay = path.join(root, 'apps/recorder/src/replay-rejected.ts');
const POLL_MS = 100;
const REFUSED = 'a word that a constraint refuses';

export async function refuseMessages(stack: DrillStack): Promise<AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  parts.defer(() => storeRejected(stack));
  await runSql(
    stack,
    `alter table messages add constraint drill check (content not like '%${REFUSED}%') not valid`,
  );
  const { room } = parts.use(await openRoom(stack));
  {
    await using talk = new AsyncDisposableStack();
    talk.use(keepSaying(room, REFUSED));
    while (!(await hasRejected(stack)) && (await pause(POLL_MS, stack.stop)));
  }
  return parts.move();
}

function folderOf({ folder }: DrillStack): string {
  return path.join(folder, 'spool', 'recorder-1');
}

async function hasRejected(stack: DrillStack): Promise<boolean> {
  const file = await stat(path.join(folderOf(stack), 'rejected.jsonl')).catch(() => undefined);
  return file !== undefined && file.size > 0;
}

async function storeRejected(stack: DrillStack): Promise<void> {
  await runSql(stack, 'alter table messages drop constraint if exists drill');
  await run(process.execPath, ['--conditions=@source', replay], {
    cwd: root,
    env: {
      ...process.env,
      DATABASE_URL: stack.databaseUrl,
      DATABASE_DIRECT_URL: '',
      RECORDER_SPOOL_DIR: folderOf(stack),
    },
  });
}
