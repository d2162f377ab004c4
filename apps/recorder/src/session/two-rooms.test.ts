import { hasRedis, startMediaNodes } from '@session/testing';
import { expect, test } from 'vitest';
import { Sentences } from '../../testing/sentences.ts';
import { FAST, TestStage, until } from '../../testing/stage.ts';

const TIMING = { ...FAST, splitCheckMs: 250, absentMs: 250 };

/** Opens two nodes of LiveKit, a recorder, and a session whose room is on the first node. */
async function openNodes() {
  await using stack = new AsyncDisposableStack();
  const nodes = stack.use(await startMediaNodes());
  const stage = stack.use(await TestStage.open(nodes.first));
  const sessionId = await stage.createSession();
  await nodes.place(sessionId, 'first');
  const recorder = await stage.record({ timing: TIMING });
  await stage.untilRecording(sessionId);
  const talk = stack.use(new Sentences(stage, sessionId));
  const owned = stack.move();
  return {
    nodes,
    stage,
    sessionId,
    talk,
    recorder,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

test.skipIf(!hasRedis()).for([false, true])(
  'Redis flushed under talk: the words of both rooms are stored or lie in a gap, with one SID: %s',
  async (hasOneSid) => {
    await using opened = await openNodes();
    const { nodes, stage, sessionId, talk } = opened;
    const ana = await stage.join(sessionId, 'Ana');
    const cara = await stage.join(sessionId, 'Cara');
    const before = talk.begin(ana, 'Ana');
    await talk.untilStored(before);
    await nodes.flushRedis();
    // The first node stores its room again when a participant leaves. Then both rooms have the same SID.
    if (hasOneSid) {
      await cara.leave();
      await nodes.untilStored(sessionId);
    }
    await nodes.place(sessionId, 'second');
    const bea = await stage.join(sessionId, 'Bea');
    const late = talk.begin(bea, 'Bea');
    await talk.untilStored(late);
    await talk.untilAllStored();
    await talk.stop();
    await expect.poll(() => talk.lost()).toEqual([]);
  },
);

test.skipIf(!hasRedis())(
  'a recorder that starts after a flush is led to another node: what is said in the room before lies in a gap',
  async () => {
    await using opened = await openNodes();
    const { nodes, stage, sessionId, talk, recorder } = opened;
    const ana = talk.begin(await stage.join(sessionId, 'Ana'), 'Ana');
    await talk.untilStored(ana);
    await nodes.flushRedis();
    await nodes.place(sessionId, 'second');
    await recorder.stop(AbortSignal.abort());
    await stage.record({ timing: TIMING });
    await until(async () => (await stage.countIntervals(sessionId)) === 2);
    await talk.saysMore();
    await talk.stop();
    await expect.poll(() => talk.lost()).toEqual([]);
  },
);
