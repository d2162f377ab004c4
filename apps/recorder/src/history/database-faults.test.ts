import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { TestStage, until } from '../../testing/stage.ts';

test('nothing is lost or out of order when PostgreSQL’s connections are cut during a talk', async () => {
  await using stage = await TestStage.open();
  const recorderId = uuidv7();
  const recorder = await stage.record({ recorderId });
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const said: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    for (let number = 0; number < 20; number += 1) said.push(await ana.say(`${round}.${number}`));
    await until(async () => (await cutConnections(stage)) > 0);
  }
  const last = said.at(-1);
  const history = await stage.historyWith(sessionId, ({ id }) => id === last);
  const words = history.filter(({ kind }) => kind === 'text');
  expect(words.map(({ id }) => id)).toEqual(said);
  // The recorder still notices new sessions.
  await until(() => recorder.health().status === 'ok');
  await stage.untilRecording(await stage.createSession());
});

test('a session that is deleted during a talk is left, and harms no other session', async () => {
  await using stage = await TestStage.open();
  const recorder = await stage.record();
  const [doomed, other] = [await stage.recordedSession(), await stage.recordedSession()];
  const [ana, ben] = [await stage.join(doomed), await stage.join(other, 'Ben')];
  await ana.say('into the void');
  await stage.historyWith(doomed, ({ kind }) => kind === 'text');
  await stage.database.sql`delete from session_heads where session_id = ${doomed}`;
  await ana.say('lost');
  const id = await ben.say('kept');
  await stage.historyWith(other, (message) => message.id === id);
  await stage.database.sql`delete from sessions where id = ${doomed}`;
  await until(() => recorder.health().sessions['recording'] === 1);
  expect(recorder.health().lost).toEqual({ refused: 0, shed: 0, unsaved: 0 });
});

/** Ends all connections of recorders to the stage's database, and returns how many there were. */
async function cutConnections(stage: TestStage): Promise<number> {
  const cut = await stage.database.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name ~ '^(recorder|listen)-'`;
  return cut.length;
}
