import { once } from 'node:events';
import { repeat } from '@session/kit';
import { expect, test } from 'vitest';
import { startRecorderProcess, tempFolder } from '../../testing/recorder-process.ts';
import { TestStage, until } from '../../testing/stage.ts';
import { TIMING } from '../timing.ts';

/** How long the database takes to store a batch. */
const SLOW_S = 0.9;
/** The pause before a flush, and the time that a word may take to the recorder and to its disk on a busy machine. */
const SLACK_MS = 600;

test('killed while the database is slow: only the words of the last moment are lost, and they lie in a gap', {
  // On a busy machine, two processes and a slow database need more than 30 s.
  timeout: 90_000,
}, async () => {
  await using temp = await tempFolder();
  await using stage = await TestStage.open();
  const { sql } = stage.database;
  const env = stage.env(temp.folder);
  const sessionId = await stage.createSession();
  const said: { readonly id: string; readonly at: number }[] = [];
  let killedAt = 0;
  {
    await using program = await startRecorderProcess(env);
    await stage.untilRecording(sessionId);
    const ana = await stage.join(sessionId);
    await stage.historyWith(sessionId, ({ kind }) => kind === 'participant_joined');
    await sql.unsafe(`
      create function wait() returns trigger language plpgsql as $$
      begin
        perform pg_sleep(${SLOW_S});
        return null;
      end $$;
      create trigger wait before insert on messages for each statement execute function wait()`);
    const enough = new AbortController();
    const talking = repeat(10, enough.signal, async () => {
      const at = Date.now();
      said.push({ id: await ana.say(`word ${said.length}`), at });
    });
    // Then the words wait that came since that flush began.
    await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
    const exit = once(program.child, 'exit');
    killedAt = Date.now();
    program.child.kill('SIGKILL');
    // Otherwise PostgreSQL would continue a statement whose client is dead.
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'recorder-%'`;
    enough.abort();
    await Promise.all([exit, talking]);
  }
  await sql`drop trigger wait on messages`;
  await using _ = await startRecorderProcess(env);
  const [gap, ...others] = await until(async () => {
    const { reported } = await stage.gaps(sessionId);
    return reported.length > 0 && reported;
  });
  expect([gap, others]).toMatchObject([{ reason: 'recorder_died' }, []]);
  // Whatever waited in the spool is stored before the gap's message.
  const stored = new Set((await stage.history(sessionId)).map(({ id }) => id));
  const received = said.filter(({ at }) => at < killedAt);
  const lost = received.filter(({ id }) => !stored.has(id));
  const lostSince = lost[0]?.at ?? killedAt;
  expect(lost).toEqual(received.slice(received.length - lost.length));
  expect(killedAt - lostSince).toBeLessThan(TIMING.spoolMs + SLACK_MS);
  const from = Date.parse(String(gap && 'from' in gap && gap.from));
  expect(from).toBeLessThan(lostSince + SLACK_MS);
});
