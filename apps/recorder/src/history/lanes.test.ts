import { openDatabase, prepareMessageQueries } from '@session/db';
import { expect, test } from 'vitest';
import { openTestHistoryWriter, textMessage } from '../../testing/history-writer.ts';
import { tempFolder } from '../../testing/recorder-process.ts';
import { TestStage } from '../../testing/stage.ts';

const never = new AbortController().signal;

test('what waits for a session survives the process, and is stored in order by the next one', async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  await using database = openDatabase(stage.databaseUrl, { connections: 4 });
  const queries = prepareMessageQueries(database);
  const [faulty, other] = [await stage.createSession(), await stage.createSession()];
  let isLocked = true;
  const locking = {
    queries: {
      async appendMessages(...[batch, options]: Parameters<typeof queries.appendMessages>) {
        const lockedSessions = isLocked ? [faulty] : [];
        const free = batch.filter(({ sessionId }) => !lockedSessions.includes(sessionId));
        return { ...(await queries.appendMessages(free, options)), lockedSessions };
      },
    },
    spoolFolder: temp.folder,
  };
  {
    await using opened = await openTestHistoryWriter(locking);
    for (const word of ['1', '2', '3']) {
      opened.writer.push(textMessage(faulty, word));
      opened.writer.push(textMessage(other, word));
    }
    await opened.writer.untilStored(other, never);
    await opened.writer.end(AbortSignal.abort());
    expect(opened.writer.lost).toEqual({ refused: 0, shed: 0, unsaved: 0 });
  }
  await using opened = await openTestHistoryWriter(locking);
  expect([opened.writer.length, opened.writer.has(faulty)]).toEqual([3, true]);
  opened.writer.push(textMessage(faulty, '4'));
  isLocked = false;
  await opened.writer.untilStored(faulty, never);
  const stored = (await stage.history(faulty)).map(({ content }) => content);
  expect(stored).toEqual(['1', '2', '3', '4']);
});
