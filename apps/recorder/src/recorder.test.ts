import { expect, test } from 'vitest';
import { TestStage } from './test-recorder.ts';

test('what a person types is stored under the id that the room knew, after their join', async () => {
  await using stage = await TestStage.open();
  await stage.record();
  const sessionId = await stage.recordedSession();
  const ana = await stage.join(sessionId);
  const id = await ana.say('hello');
  const history = await stage.historyWith(sessionId, ({ kind }) => kind === 'text');
  expect(history).toMatchObject([
    { kind: 'participant_joined', role: 'system', content: 'Ana joined' },
    { id, kind: 'text', role: 'user', status: 'complete', content: 'hello' },
  ]);
});
