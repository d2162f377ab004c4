import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProgressModel, progressStep } from '../../testing/progress-model.ts';
import { TIMING } from '../timing.ts';

const { holdBackMs: HOLD_BACK_MS } = TIMING;
/** After a change of the tested code, run 20,000: such a run once found a fault in run 826. */
const RUNS = Number(process.env['PROGRESS_RUNS'] ?? 2000);

test('whenever the recorder is killed, no covered time contains a word that is not stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(progressStep, { maxLength: 60, size: 'max' }), async (steps) => {
      const model = new ProgressModel();
      await model.beat('none');
      for (const one of steps) {
        model.now += 1;
        await model.act(one);
      }
      expect(model.faults).toBe(0);
      await model.settle();
      expect([model.flushedAt, model.marks.size]).toEqual([model.now, 0]);
    }),
    { numRuns: RUNS },
  );
});

test('a mark that could not be moved goes only after the words that came since are stored', async () => {
  const model = new ProgressModel();
  model.hold(0);
  model.now += HOLD_BACK_MS;
  await model.beat('none');
  model.decide(0);
  model.now += 1;
  await model.beat('none');
  model.now += 1;
  model.hold(0);
  model.store(1);
  model.now += 1;
  await model.beat('locked');
  model.decide(0);
  model.now += 1;
  await model.beat('none');
  expect([model.faults, model.marks.size]).toEqual([0, 1]);
  model.store(1);
  model.now += 1;
  await model.beat('none');
  expect([model.faults, model.marks.size]).toEqual([0, 0]);
});

test('after a removal without an answer a mark covers no new word until it is written again', async () => {
  const model = new ProgressModel();
  model.hold(0);
  model.now += HOLD_BACK_MS;
  await model.beat('none');
  model.decide(0);
  model.store(1);
  model.now += 1;
  await model.beat('lost');
  model.now += 1;
  const began = model.now;
  model.hold(0);
  model.now += 1;
  await model.beat('locked');
  expect([model.faults, model.flushedAt]).toEqual([0, began]);
});

test('a long text holds its own session back alone, and nothing once it is stored', async () => {
  const model = new ProgressModel();
  const began = model.now;
  model.receive(0);
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([began, 0]);
  model.now += HOLD_BACK_MS;
  await model.beat('none');
  expect([model.flushedAt, [...model.marks]]).toEqual([model.now, [['interval 0', began]]]);
  model.passOn(0);
  model.now += 500;
  await model.beat('none');
  expect([...model.marks]).toEqual([['interval 0', began]]);
  model.store(1);
  model.now += 500;
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([model.now, 0]);
});

test('a mark stays while its session has words that were received before what is reported as stored', async () => {
  const model = new ProgressModel();
  const began = model.now;
  model.hold(0);
  model.now += HOLD_BACK_MS - 100;
  model.hold(0);
  model.now += 99;
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([began, 0]);
  model.now += 1;
  await model.beat('none');
  expect([model.flushedAt, [...model.marks]]).toEqual([model.now, [['interval 0', began]]]);
  model.decide(0);
  model.store(1);
  model.decide(0);
  model.now += 50;
  await model.beat('none');
  expect([model.faults, [...model.marks]]).toEqual([
    0,
    [['interval 0', began + HOLD_BACK_MS - 100]],
  ]);
  model.store(1);
  model.now += 50;
  await model.beat('none');
  expect([model.faults, model.marks.size, model.flushedAt]).toEqual([0, 0, model.now]);
});

test('what waits together with others, however long, is not marked, and holds everything back', async () => {
  const model = new ProgressModel();
  const began = model.now;
  model.hold(0);
  model.decide(0);
  model.now += 60_000;
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([began, 0]);
});

test('a session in a lane holds itself back alone', async () => {
  const model = new ProgressModel();
  const began = model.now;
  model.hold(0);
  model.decide(0);
  model.defer(0);
  model.now += 60_000;
  await model.beat('none');
  expect([model.flushedAt, [...model.marks]]).toEqual([model.now, [['interval 0', began]]]);
  model.storeLane(0);
  model.now += 500;
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([model.now, 0]);
});

test('a mark that cannot be written holds everything back, and is written later', async () => {
  const model = new ProgressModel();
  const began = model.now;
  model.receive(0);
  model.now += 60_000;
  for (const fault of ['away', 'locked']) {
    await model.beat(fault);
    expect([model.flushedAt, model.marks.size]).toEqual([began, 0]);
  }
  await model.beat('none');
  expect([model.flushedAt, model.marks.size]).toEqual([model.now, 1]);
});
