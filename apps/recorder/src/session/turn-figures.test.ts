import {
  FINAL_ATTRIBUTE,
  SEGMENT_ATTRIBUTE,
  TRANSCRIPTION_TOPIC,
  TURN_ATTRIBUTE,
} from '@session/contract/room';
import { expect } from 'vitest';
import { FAST, type TestStage, until } from '../../testing/stage.ts';
import { test } from '../../testing/stage-test.ts';

const TURN = '{"model":"small","firstWordsMs":320,"mood":"good"}';

function attributes(segment: string) {
  return { [SEGMENT_ATTRIBUTE]: segment, [FINAL_ATTRIBUTE]: 'true' };
}

async function transcripts(stage: TestStage, sessionId: string, status: string, count = 1) {
  return await until(async () => {
    const history = await stage.history(sessionId);
    const found = history.filter((row) => row.kind === 'transcript' && row.status === status);
    return found.length >= count && found;
  });
}

test('the figures of a turn come with the end of its answer, of which a part was stored before', async ({
  stage,
}) => {
  await stage.record({ timing: { ...FAST, checkpointMs: 100 } });
  const sessionId = await stage.recordedSession();
  const agent = await stage.joinAsAgent(sessionId);
  const text = await agent.openText(TRANSCRIPTION_TOPIC, attributes('SG_1'));
  await text.write('You said');
  const [part] = await transcripts(stage, sessionId, 'pending');
  await text.write(': hello');
  await text.end({ [TURN_ATTRIBUTE]: TURN });
  const [whole] = await transcripts(stage, sessionId, 'complete');
  expect(whole).toMatchObject({ id: part?.id, content: 'You said: hello' });
  expect(whole?.metadata).toHaveProperty('turn', { model: 'small', firstWordsMs: 320 });
});

test('nonsense, and the figures of a person, keep no message out and are not stored', async ({
  stage,
}) => {
  await stage.record();
  const sessionId = await stage.recordedSession();
  const [ana, agent] = [await stage.join(sessionId), await stage.joinAsAgent(sessionId)];
  const said = [
    [ana, 'SG_1', TURN],
    [agent, 'SG_2', '{"durationMs":'],
    [agent, 'SG_3', `{"durationMs":1${' '.repeat(2000)}}`],
  ] as const;
  for (const [sender, segment, turn] of said) {
    const marked = { ...attributes(segment), [TURN_ATTRIBUTE]: turn };
    await sender.sendText(TRANSCRIPTION_TOPIC, segment, marked);
  }
  const found = await transcripts(stage, sessionId, 'complete', said.length);
  expect(new Set(found.map(({ content }) => content))).toEqual(new Set(['SG_1', 'SG_2', 'SG_3']));
  for (const { metadata } of found) expect(metadata).not.toHaveProperty('turn');
});
