import { templateEnvironment } from '@session/conversation/template';
import { longestBlockMs } from '@session/conversation/testing/longest-block';
import { expect, test } from 'vitest';
import { EMPTY_DEFINITION } from './definition.ts';

/** An agent template has at most 100,000 bytes, and a value at most 2,000 characters. */
const cases: readonly [name: string, instructions: string, guest: string][] = [
  ['braces', '{'.repeat(90_000), ''],
  ['pairs of braces', '{{'.repeat(45_000), ''],
  ['beginnings of a variable', '{{guest'.repeat(12_000), ''],
  ['variables with braces in their value', '{{guest}}'.repeat(9000), '{{guest}}'],
  ['variables with a long value', '{{guest}}'.repeat(9000), 'x'.repeat(2000)],
];

test.for(cases)(
  'a template of many %s blocks for less than 100 ms, and makes no text of many times its size',
  async ([, instructions, guest]) => {
    let length = 0;
    const fill = async () => {
      const run = { id: 'a', definition: { ...EMPTY_DEFINITION, instructions }, values: { guest } };
      length = JSON.stringify(templateEnvironment(run, {})).length;
    };
    // A template that grows too long is refused.
    const failures: unknown[] = [];
    const block = await longestBlockMs(() =>
      fill().catch((error: unknown) => void failures.push(error)),
    );
    expect(block).toBeLessThan(100);
    expect(length).toBeLessThan(500_000);
    expect(failures.every((failure) => Object(failure).code === 'invalid_request')).toBe(true);
  },
);
