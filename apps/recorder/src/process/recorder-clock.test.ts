import { expect, test } from 'vitest';
import { logTo } from '../../testing/log-to.ts';
import { RecorderClock } from './recorder-clock.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

/**
 * Returns a recorder's clock on a machine whose clocks the test sets, and a database whose clock is at noon at first.
 */
function openClock(aheadMs: number) {
  const machine = { wall: NOON + aheadMs, steady: 5, uptime: 90 };
  const database = { now: NOON };
  const logged: string[] = [];
  const clock = new RecorderClock(
    { ...logTo(), info: () => logged.push('info'), warn: () => logged.push('warn') },
    {
      wallMs: () => machine.wall,
      steadyMs: () => machine.steady,
      uptimeMs: () => machine.uptime,
    },
  );
  const passAwake = (ms: number) => {
    machine.wall += ms;
    machine.steady += ms;
    machine.uptime += ms;
    database.now += ms;
  };
  return {
    clock,
    machine,
    database,
    logged,
    passAwake,
    sleep: (ms: number) => {
      machine.wall += ms;
      machine.uptime += ms;
      database.now += ms;
    },
    ask: (roundTripMs = 2) => {
      const sent = clock.send();
      passAwake(roundTripMs / 2);
      const { now } = database;
      passAwake(roundTripMs / 2);
      clock.measured(sent, now);
    },
  };
}

test.each([
  [499, false],
  [-499, false],
  [501, false],
  [-501, false],
  [502, true],
  [-502, true],
  [5000, true],
  [5001, true],
  [DAY_MS, true],
  [-DAY_MS, true],
])(
  'a clock %i ms ahead is corrected to that of the database: %s, and warned of once',
  (aheadMs, isCorrected) => {
    const { clock, database, logged, ask, passAwake } = openClock(aheadMs);
    for (let beat = 0; beat < 4; beat += 1) {
      ask();
      passAwake(500);
    }
    expect(clock.now() - database.now).toBe(isCorrected ? 0 : aheadMs);
    expect([clock.offsetMs, clock.isWrong]).toEqual([aheadMs, Math.abs(aheadMs) > 5000]);
    expect(logged).toEqual(isCorrected ? ['warn'] : []);
  },
);

test('an operator who sets a wrong clock right moves no time of the recorder, and is told that it is right', () => {
  const { clock, database, machine, logged, ask } = openClock(DAY_MS);
  ask();
  machine.wall -= DAY_MS;
  expect(clock.now()).toBe(database.now);
  for (let beat = 0; beat < 5; beat += 1) ask();
  expect(clock.now()).toBe(database.now);
  expect([clock.offsetMs, clock.isWrong, logged]).toEqual([0, false, ['warn', 'info']]);
});

test('a slow answer corrects nothing, and the fastest of the last five counts', () => {
  const { clock, database, logged, ask } = openClock(400);
  const sent = clock.send();
  ask(4000);
  // The database read its clock at once, but its answer took a long time.
  clock.measured(sent, NOON);
  expect(clock.now() - database.now).toBe(400);
  ask();
  for (let beat = 0; beat < 4; beat += 1) {
    ask(4000);
    expect(clock.offsetMs).toBe(400);
  }
  expect(logged).toEqual([]);
});

test('durations do not step with the time of day, and include the sleep of the machine', () => {
  const { clock, database, machine, passAwake, sleep, ask } = openClock(0);
  const before = clock.elapsed();
  const began = clock.now();
  machine.wall += DAY_MS;
  passAwake(700);
  expect([clock.elapsed() - before, clock.now() - began]).toEqual([700, 700]);
  sleep(60_000);
  expect(clock.elapsed() - before).toBe(60_700);
  expect(clock.now()).toBe(database.now);
  ask();
  expect(clock.now()).toBe(database.now);
});

test('an answer that took long, and says another time, changes nothing beside a fast one', () => {
  const { clock, database, passAwake, ask } = openClock(0);
  ask();
  const sent = clock.send();
  const { now } = database;
  passAwake(4000);
  clock.measured(sent, now);
  expect([clock.offsetMs, clock.now() - database.now]).toEqual([0, 0]);
});

test('a sleep is counted once, whether the database or the watch of stalls is asked first', () => {
  const { clock, database, sleep, ask } = openClock(0);
  ask();
  const before = clock.elapsed();
  sleep(60_000);
  ask();
  expect(clock.elapsed() - before).toBe(60_002);
  expect(clock.now()).toBe(database.now);
});

test.each(['before', 'after'])(
  'an answer that the database gave %s a sleep of the machine is not measured',
  (moment) => {
    const { clock, database, passAwake, sleep } = openClock(0);
    const sent = clock.send();
    const early = database.now;
    sleep(60_000);
    clock.measured(sent, moment === 'before' ? early : database.now);
    passAwake(100);
    expect([clock.now(), clock.offsetMs]).toEqual([database.now, 0]);
  },
);

test('a pause in which all clocks of the machine stood still is reported once, from the last question that was answered before', () => {
  const { clock, database, ask, passAwake } = openClock(0);
  ask();
  passAwake(500);
  database.now += 60_000;
  ask();
  const pause = { from: NOON, to: database.now, lengthMs: 60_000 };
  expect(clock.takePauses(10_000)).toEqual([pause]);
  expect([clock.takePauses(10_000), clock.now()]).toEqual([[], database.now]);
});

test('a pause is reported even if the answer before it was quicker than those after it', () => {
  const { clock, database, ask } = openClock(0);
  ask(2);
  database.now += 60_000;
  for (let count = 0; count < 5; count += 1) ask(4);
  expect(clock.takePauses(10_000)).toMatchObject([{ from: NOON, lengthMs: 60_000 }]);
  expect(clock.now()).toBe(database.now);
});

test('a pause that an answer shows long after the one before began a short time ago', () => {
  const { clock, database, ask, passAwake } = openClock(0);
  ask();
  passAwake(DAY_MS);
  database.now += 60_000;
  ask();
  const { now: to } = database;
  expect(clock.takePauses(10_000)).toMatchObject([{ from: to - 70_000, to }]);
});

/** Each step changes the clocks in another way than a pause does, or combines a pause with another change. */
const STEPS: readonly [
  name: string,
  aheadMs: number,
  wallMs: number,
  databaseMs: number,
  pauses: number,
][] = [
  ['a pause that is too short', 0, 0, 9999, 0],
  ['a pause, after which the time of day was set right', 0, 60_000, 60_000, 1],
  ['a pause of a machine whose time of day is wrong', DAY_MS, 0, 60_000, 1],
  ['a database whose clock was behind, and has been set right', 60_000, 0, 60_000, 0],
  ['a database whose clock has been set back', 0, 0, -60_000, 0],
  ['a time of day that has been set right', -60_000, 60_000, 0, 0],
];

test.each(STEPS)('%s', (_, aheadMs, wallMs, databaseMs, pauses) => {
  const { clock, database, machine, ask } = openClock(aheadMs);
  ask();
  machine.wall += wallMs;
  database.now += databaseMs;
  ask();
  expect(clock.takePauses(10_000)).toHaveLength(pauses);
  expect(clock.now()).toBe(database.now);
});

test('a sleep counts from a second on', () => {
  const { clock, sleep } = openClock(0);
  const before = clock.elapsed();
  sleep(999);
  expect(clock.elapsed() - before).toBe(0);
  sleep(1);
  expect(clock.elapsed() - before).toBe(1000);
});
