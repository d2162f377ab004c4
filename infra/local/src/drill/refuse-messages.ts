import path from 'node:path';
import { run } from '../supervision/tool.ts';
import type { DrillStack } from './drill-stack.ts';
import { openRoom } from './room.ts';
import { runSql } from './sql.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const replay = path.join(root, 'apps/recorder/src/replay-rejected.ts');
const REFUSED = 'a word that a constraint refuses';

/** Adds a constraint that refuses a message, and sends that message. Disposal drops it, and stores the message. */
export async function refuseMessages(stack: DrillStack): Promise<AsyncDisposable> {
  await runSql(
    stack,
    `alter table messages add constraint drill check (content not like '%${REFUSED}%') not valid`,
  );
  await using parts = await openRoom(stack);
  await parts.room.say(REFUSED);
  return {
    async [Symbol.asyncDispose]() {
      await runSql(stack, 'alter table messages drop constraint drill');
      await run(process.execPath, ['--conditions=@source', replay], {
        cwd: root,
        env: {
          ...process.env,
          DATABASE_URL: stack.databaseUrl,
          RECORDER_SPOOL_DIR: path.join(stack.folder, 'spool', 'recorder-1'),
        },
      });
    },
  };
}
