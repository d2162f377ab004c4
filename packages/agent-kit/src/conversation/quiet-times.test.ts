import { expect, test } from 'vitest';
import { QuietTimes } from './quiet-times.ts';

const LIMITS = { nudgeAfterMs: 20, leaveAfterMs: 100, maxTalkMs: undefined };
const alone = { isPersonPresent: false, hasActiveStep: true };
const together = { isPersonPresent: true, hasActiveStep: true };

test('a silent person on a step is asked once, and once more after the next text', () => {
  const { quiet, at } = open();
  expect(at(0, together)).toEqual({ action: 'wait', delayMs: 20 });
  expect(at(20, together)).toEqual({ action: 'nudge' });
  quiet.agentSpoke();
  expect(at(60, together)).toEqual({ action: 'wait', delayMs: 100 });
  quiet.textCame();
  quiet.agentSpoke();
  expect(at(79, together)).toEqual({ action: 'wait', delayMs: 1 });
  expect(at(80, together)).toEqual({ action: 'nudge' });
});

test('a person who speaks is not asked meanwhile, and a noise after the question brings no second one', () => {
  const { quiet, at } = open();
  at(15, together);
  quiet.personSpeaks();
  expect(at(20, together)).toEqual({ action: 'wait', delayMs: 15 });
  expect(at(35, together)).toEqual({ action: 'nudge' });
  quiet.agentSpoke();
  quiet.personSpeaks();
  expect(at(60, together)).toEqual({ action: 'wait', delayMs: 100 });
});

test('nobody is asked in an empty room, nor without an active step; who comes late has time to answer', () => {
  const { quiet, at } = open();
  expect(at(50, alone)).toEqual({ action: 'wait', delayMs: 50 });
  expect(at(50, { ...together, hasActiveStep: false })).toEqual({ action: 'wait', delayMs: 100 });
  quiet.presenceChanged();
  expect(at(60, together)).toEqual({ action: 'wait', delayMs: 10 });
});

test('the agent leaves an empty room in which no text came, and never a room with a person', () => {
  const { quiet, at } = open();
  at(500, together);
  quiet.presenceChanged();
  expect(at(599, alone)).toEqual({ action: 'wait', delayMs: 1 });
  quiet.textCame();
  expect(at(698, alone)).toEqual({ action: 'wait', delayMs: 1 });
  expect(at(699, alone)).toEqual({ action: 'leave' });
});

test('after the longest time the agent says goodbye, whoever is there', () => {
  const { at, quiet } = open({ ...LIMITS, maxTalkMs: 30 });
  expect(at(29, { ...together, hasActiveStep: false })).toEqual({ action: 'wait', delayMs: 1 });
  expect(quiet.isTimeOver).toBe(false);
  expect(at(30, together)).toEqual({ action: 'goodbye' });
  expect(quiet.isTimeOver).toBe(true);
});

test('texts that failed are tried again at their time, before the agent asks by itself', () => {
  const { at } = open();
  const failed = { ...together, retryAt: 12 };
  expect(at(11, failed)).toEqual({ action: 'wait', delayMs: 1 });
  expect(at(12, failed)).toEqual({ action: 'retry' });
  expect(at(20, failed)).toEqual({ action: 'retry' });
  expect(at(20, together)).toEqual({ action: 'nudge' });
});

test('texts that failed are not tried again while a person speaks', () => {
  const { quiet, at } = open({ ...LIMITS, nudgeAfterMs: 20_000, leaveAfterMs: 60_000 });
  const failed = { ...together, retryAt: 12 };
  at(11, failed);
  quiet.personSpeaks();
  expect(at(12, failed)).toEqual({ action: 'wait', delayMs: 4999 });
  expect(at(5011, failed)).toEqual({ action: 'retry' });
});

test('texts that failed are not tried again while the words of a long turn may still come', () => {
  const { quiet, at } = open({ ...LIMITS, nudgeAfterMs: 20_000, leaveAfterMs: 60_000 }, 3000);
  const failed = { ...together, retryAt: 12 };
  quiet.personSpeaks();
  expect(at(5000, failed)).toEqual({ action: 'wait', delayMs: 3000 });
  expect(at(8000, failed)).toEqual({ action: 'retry' });
});

test('the words of a person who has begun to speak since the last text take up to 5 s after the last sound', () => {
  const { quiet, at } = open();
  const delayAt = (time: number) => {
    at(time, together);
    return quiet.wordsDelayMs;
  };
  expect(delayAt(0)).toBe(0);
  quiet.personSpeaks();
  expect(delayAt(10)).toBe(4990);
  quiet.textCame();
  expect(delayAt(11)).toBe(0);
  for (let second = 1; second < 120; second += 1) {
    at(second * 1000, together);
    quiet.personSpeaks();
    expect(quiet.wordsDelayMs).toBe(Math.min(5000, 121_000 - second * 1000));
  }
  at(121_000, together);
  quiet.personSpeaks();
  expect(quiet.wordsDelayMs).toBe(0);
  expect(delayAt(126_001)).toBe(0);
  quiet.personSpeaks();
  expect(quiet.wordsDelayMs).toBe(5000);
});

test('the words of a turn that may last longer are awaited for longer', () => {
  const { quiet, at } = open(LIMITS, 60_000);
  quiet.personSpeaks();
  at(60_000, together);
  expect(quiet.wordsDelayMs).toBe(5000);
  quiet.personSpeaks();
  expect(quiet.wordsDelayMs).toBe(60_000);
});

function open(
  limits: { nudgeAfterMs: number; leaveAfterMs: number; maxTalkMs: number | undefined } = LIMITS,
  maxMs = 0,
) {
  let now = 0;
  const quiet = new QuietTimes(
    { limits, turns: { minMs: 0, maxMs, interruptMinMs: 0 } },
    () => now,
  );
  const at = (time: number, situation: typeof alone) => {
    now = time;
    return quiet.next(situation);
  };
  return { quiet, at };
}
