import * as fc from 'fast-check';
import { Checks } from './checks.ts';
import { World } from './world.ts';

/** Returns the property that every run of up to `maxSteps` steps passes the checks. */
export function timelineModel(maxSteps: number) {
  const number = fc.nat(1000);
  const steps = fc.array(fc.tuple(number, number, number), { maxLength: maxSteps, size: 'max' });
  const rowsAtStart = fc.option(fc.nat(25), { nil: undefined });
  return fc.property(rowsAtStart, steps, (rows, run) => {
    const world = new World();
    const checks = new Checks(world);
    if (rows !== undefined) world.open(rows);
    for (const step of run) {
      world.take(step);
      checks.afterStep();
    }
    for (const _ of world.rest()) checks.afterStep();
    checks.atRest();
  });
}
