import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { openFaultScene, raise } from '../../../testing/fault-scene.ts';
import { textMessage } from '../../../testing/history-writer.ts';
import { test } from '../../../testing/stage-test.ts';

const never = new AbortController().signal;

test.for(['22P05', '23514', '54000'])(
  'error %s of one message: it alone is rejected, and leaves a gap at its time',
  async (code, { stage }) => {
    await using scene = await openFaultScene(stage);
    await raise(scene, code, `new.content = '2a'`);
    const [first] = scene.sessions;
    const said = ['1a', '1b', '2a', '2b'].map((word) => textMessage(first, word));
    for (const message of said) scene.writer.push(message);
    await scene.writer.untilStored(first, never);
    expect(await scene.stored(first)).toEqual(['1a', '1b', '2b']);
    expect(scene.writer.lost).toEqual({ refused: 1, shed: 0, unsaved: 0 });
    const at = said[2]?.receivedAt;
    expect(scene.gaps).toMatchObject([
      { sessionId: first, reason: 'refused', receivedAt: at, until: at },
    ]);
    expect(await readFile(`${scene.folder}/rejected.jsonl`, 'utf8')).toContain(said[2]?.id);
  },
);

test('a message that alone fails for an unknown reason is refused after its time, when a later one can be stored', async ({
  stage,
}) => {
  await using scene = await openFaultScene(stage, { refuseMs: 300 });
  await raise(scene, 'XX000', `new.content = 'odd'`);
  const [first, other] = scene.sessions;
  scene.say(first, 'before', 'odd');
  scene.say(other, 'other');
  await scene.writer.untilStored(other, never);
  scene.say(first, 'after');
  await scene.writer.untilStored(first, never);
  expect(await scene.stored(first)).toEqual(['before', 'after']);
  expect(scene.writer.lost.refused).toBe(1);
  expect(scene.gaps).toMatchObject([{ sessionId: first, reason: 'refused' }]);
});
