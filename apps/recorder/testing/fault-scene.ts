import { openDatabase } from '@session/db';
import type { LostMessages } from '../src/message-path.ts';
import { queriesOn } from '../src/queries.ts';
import { TIMING } from '../src/timing.ts';
import { openTestHistoryWriter, textMessage } from './history-writer.ts';
import type { TestStage } from './stage.ts';

/** A history writer on the stage's database, three sessions, and what of them is stored. */
export async function openFaultScene(
  stage: TestStage,
  { parameters = '', refuseMs = 600_000 } = {},
) {
  await using stack = new AsyncDisposableStack();
  // `raise` makes a function, which emptying the tables does not delete.
  stack.defer(async () => {
    await stage.database.sql.unsafe('drop function if exists fail() cascade');
  });
  const sessions = [
    await stage.createSession(),
    await stage.createSession(),
    await stage.createSession(),
  ] as const;
  const database = stack.use(
    openDatabase(stage.databaseUrl + parameters, { connections: 4, lockTimeoutMs: 100 }),
  );
  const gaps: LostMessages[] = [];
  const { writer, folder } = stack.use(
    await openTestHistoryWriter({
      queries: queriesOn(database),
      reportLoss: async (lost) => void gaps.push(lost),
      timing: { flushMs: 20, spoolMs: TIMING.spoolMs, refuseMs },
    }),
  );
  const { sql } = stage.database;
  const owned = stack.move();
  return {
    stage,
    sql,
    sessions,
    writer,
    folder,
    gaps,
    /** Disposes of `value` with this scene. */
    use: <T extends AsyncDisposable>(value: T) => owned.use(value),
    say(sessionId: string, ...words: string[]) {
      for (const word of words) writer.push(textMessage(sessionId, word));
    },
    async stored(sessionId: string) {
      return (await stage.history(sessionId)).map(({ content }) => content);
    },
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync();
    },
  };
}

export type FaultScene = Awaited<ReturnType<typeof openFaultScene>>;

/** Makes PostgreSQL raise an error for each new row of `messages` for which `condition` holds. Returns a way to undo it. */
export async function raise({ sql }: FaultScene, code: string, condition = 'true') {
  await sql.unsafe(`
    create function fail() returns trigger language plpgsql as $$
    begin
      if ${condition} then raise exception 'injected' using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger fail before insert on messages for each row execute function fail()`);
  return async () => void (await sql.unsafe('drop trigger fail on messages'));
}
