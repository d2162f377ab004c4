import path from 'node:path';
import { execPath } from 'node:process';
import postgres from 'postgres';
import { run } from '../supervision/tool.ts';
import type { DrillStack } from './drill-stack.ts';
import { say } from './say.ts';

const root = path.resolve(import.meta.dirname, '../../../..');
const replay = path.join(root, 'apps/recorder/src/replay-rejected.ts');
const REFUSED = 'a word that a constraint refuses';

/** Adds a constraint that refuses a message, and sends that message. Disposal drops it, and stores the message. */
export async function refuseMessages(stack: DrillStack): Promise<AsyncDisposable> {
  await alter(stack, `add constraint drill check (content not like '%${REFUSED}%') not valid`);
  await say(stack, REFUSED);
  return {
    async [Symbol.asyncDispose]() {
      await alter(stack, 'drop constraint drill');
      const recorders = Object.keys(await stack.pids()).filter((name) => name.startsWith('rec'));
      for (const name of recorders) {
        await run(execPath, ['--conditions=@source', replay], {
          cwd: root,
          env: {
            ...process.env,
            DATABASE_URL: stack.databaseUrl,
            RECORDER_SPOOL_DIR: path.join(stack.folder, 'spool', name),
          },
        });
      }
    },
  };
}

async function alter({ databaseUrl }: DrillStack, change: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    await sql.unsafe(`alter table messages ${change}`);
  } finally {
    await sql.end();
  }
}
