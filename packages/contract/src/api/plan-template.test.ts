import { expect, test } from 'vitest';
import {
  accepts,
  faultsIn,
  messagesAbout,
  NOT_OBJECTS,
  NOT_STRINGS,
} from '../../testing/shapes.ts';
import { NewPlanTemplate, PlanTemplate, PlanTemplateChange } from './plan-template.ts';

const step = { title: 'Day', instructions: 'Ask for the day.' };
const MAX_PLAN_BYTES = 100_000;

const faultsInSteps = (steps: unknown) => faultsIn(NewPlanTemplate, { name: 'Booking', steps });

const bytes = (steps: unknown) => Buffer.byteLength(JSON.stringify(steps));

const filler = (instructions: string) => ({ title: 'Day', instructions });

const deliverable = (fields: object) => [{ ...step, deliverable: { title: 'Day', ...fields } }];

test('a plan may have 1 to 50 steps', () => {
  expect(faultsInSteps([])).toEqual(['steps']);
  expect(faultsInSteps(Array.from({ length: 50 }, () => step))).toEqual([]);
  expect(faultsInSteps(Array.from({ length: 51 }, () => step))).toEqual(['steps']);
  for (const steps of [{ 0: step, length: 1 }, 'step', null, 1]) {
    expect(faultsInSteps(steps)).toEqual(['steps']);
  }
});

test('every fault of every step is reported at once, by its place', () => {
  const steps = [
    step,
    { title: ' ', instructions: 7 },
    { title: 'Day' },
    { ...step, hint: 'none' },
    { ...step, id: 'two words' },
  ];
  expect(faultsInSteps(steps)).toEqual([
    'steps.1.title',
    'steps.1.instructions',
    'steps.2.instructions',
    'steps.3',
    'steps.4.id',
  ]);
});

test('a step of another JSON type is refused', () => {
  for (const value of NOT_OBJECTS) expect(faultsInSteps([value])).toEqual(['steps.0']);
});

test.each(['a', 'A-Z_0.9', '-', '.', '0', 'x'.repeat(64), 'constructor', '__proto__'])(
  'a step may have the id %s',
  (id) => {
    const { steps } = NewPlanTemplate.parse({ name: 'Booking', steps: [{ ...step, id }] });
    expect(steps).toEqual([{ ...step, id }]);
  },
);

test.each(['', ' ', 'a b', 'é', 'a/b', 'a\n', 'x'.repeat(65)])(
  'a step cannot have the id %j',
  (id) => {
    expect(faultsInSteps([{ ...step, id }])).toEqual(['steps.0.id']);
    expect(faultsInSteps(deliverable({ id }))).toEqual(
      expect.arrayContaining([expect.stringMatching(/^steps\.0\.deliverable/)]),
    );
  },
);

test('an id of another JSON type is refused', () => {
  for (const id of NOT_STRINGS) expect(faultsInSteps([{ ...step, id }])).toEqual(['steps.0.id']);
});

test.each<[string, unknown[], string[]]>([
  [
    'two steps',
    [
      { ...step, id: 'a' },
      { ...step, id: 'a' },
    ],
    ['steps.1.id'],
  ],
  [
    'three steps',
    [
      { ...step, id: 'a' },
      { ...step, id: 'a' },
      { ...step, id: 'a' },
    ],
    ['steps.1.id', 'steps.2.id'],
  ],
  [
    'a step and its own deliverable',
    [{ ...step, id: 'a', deliverable: { id: 'a', title: 'Day' } }],
    ['steps.0.deliverable.id'],
  ],
  [
    'a deliverable and a later step',
    [...deliverable({ id: 'a' }), { ...step, id: 'a' }],
    ['steps.1.id'],
  ],
  [
    'two deliverables',
    [...deliverable({ id: 'a' }), ...deliverable({ id: 'a' })],
    ['steps.1.deliverable.id'],
  ],
])('an id shared by %s is refused where it is repeated', (_, steps, faults) => {
  expect(faultsInSteps(steps)).toEqual(faults);
  expect(new Set(messagesAbout(NewPlanTemplate, { name: 'Booking', steps }))).toEqual(
    new Set(['each id may be used only once']),
  );
});

test('ids that differ in case are two ids, and steps without an id share none', () => {
  expect(faultsInSteps([{ ...step, id: 'a' }, { ...step, id: 'A' }, step, step])).toEqual([]);
});

test('a deliverable may be a plain title', () => {
  const { steps } = NewPlanTemplate.parse({
    name: 'Booking',
    steps: [{ ...step, deliverable: ' The day ' }],
  });
  expect(steps).toEqual([{ ...step, deliverable: 'The day' }]);
});

test('a deliverable is a text unless it names another type', () => {
  const { steps } = NewPlanTemplate.parse({ name: 'Booking', steps: deliverable({}) });
  expect(steps).toEqual(deliverable({ type: 'text' }));
});

test.each<[string, object]>([
  ['a choice without choices', { type: 'choice' }],
  ['a choice with an empty list', { type: 'choice', choices: [] }],
  ['a choice with 101 choices', { type: 'choice', choices: Array(101).fill('a') }],
  ['a choice with an empty choice', { type: 'choice', choices: ['a', ' '] }],
  ['a choice of numbers', { type: 'choice', choices: [1, 2] }],
  ['a text with choices', { choices: ['a'] }],
  ['a number with choices', { type: 'number', choices: ['1'] }],
  ['an unknown type', { type: 'file' }],
  ['an unknown field', { optional: true }],
  ['required as a text', { required: 'yes' }],
  ['no title', { title: ' ' }],
])('a deliverable with %s is refused', (_, fields) => {
  const [fault = '', ...others] = faultsInSteps(deliverable(fields));
  expect([fault.startsWith('steps.0.deliverable'), others]).toEqual([true, []]);
});

test.each<object>([
  { type: 'choice', choices: ['a'] },
  { type: 'choice', choices: Array(100).fill('a'), required: false },
  { type: 'number', required: true },
  { type: 'date' },
])('a deliverable is accepted as it is: %j', (fields) => {
  const { steps } = NewPlanTemplate.parse({ name: 'Booking', steps: deliverable(fields) });
  expect(steps).toEqual(deliverable(fields));
});

test.each<[string, number]>([
  ['title', 200],
  ['instructions', 8000],
])('a step’s %s has 1 to %i characters, without the spaces around it', (field, most) => {
  const longest = 'é'.repeat(most);
  const { steps } = NewPlanTemplate.parse({
    name: 'Booking',
    steps: [{ ...step, [field]: ` ${longest}\n` }],
  });
  expect(steps).toEqual([{ ...step, [field]: longest }]);
  expect(faultsInSteps([{ ...step, [field]: `${longest}é` }])).toEqual([`steps.0.${field}`]);
  expect(faultsInSteps([{ ...step, [field]: '\t' }])).toEqual([`steps.0.${field}`]);
});

test('all steps together fit into one environment variable, counted in bytes of JSON', () => {
  const eleven = Array.from({ length: 11 }, () => filler('x'.repeat(8000)));
  const rest = MAX_PLAN_BYTES - bytes([...eleven, filler('a'), filler('')]) + 1;
  const shared = Math.floor(rest / 2);
  const full = [...eleven, filler('x'.repeat(shared)), filler('x'.repeat(rest - shared))];
  expect(bytes(full)).toBe(MAX_PLAN_BYTES);
  expect(faultsInSteps(full)).toEqual([]);
  const [first = step] = full;
  const oneMore = [...full.slice(1), { ...first, title: `${first.title}x` }];
  expect(messagesAbout(NewPlanTemplate, { name: 'Booking', steps: oneMore })).toEqual([
    'all steps together have at most 100000 bytes as JSON',
  ]);
  // The same number of characters, with two bytes each.
  const accented = full.map(({ instructions }) => filler(instructions.replaceAll('x', 'é')));
  expect(faultsInSteps(accented)).toEqual(['steps']);
});

test('a description may be missing, null or up to 2,000 characters', () => {
  const plan = { name: 'Booking', steps: [step] };
  for (const description of [undefined, null, '', 'x'.repeat(2000)]) {
    expect(accepts(NewPlanTemplate, { ...plan, description })).toBe(true);
    expect(accepts(PlanTemplateChange, { description })).toBe(true);
  }
  expect(faultsIn(NewPlanTemplate, { ...plan, description: 'x'.repeat(2001) })).toEqual([
    'description',
  ]);
});

test('a change follows the rules of a new plan, and may be empty', () => {
  expect(PlanTemplateChange.parse({})).toEqual({});
  expect(faultsIn(PlanTemplateChange, { name: ' ', steps: [] })).toEqual(['name', 'steps']);
  expect(faultsIn(PlanTemplateChange, { name: null })).toEqual(['name']);
  expect(faultsIn(PlanTemplateChange, { steps: deliverable({ type: 'choice' }) })).toEqual([
    'steps.0.deliverable.choices',
  ]);
});

test('an agent’s plan has an id at each step, also where the request had none', () => {
  const plan = { id: 'p', projectId: 'p', name: 'Booking', description: null };
  const times = { version: 1, createdAt: 't', updatedAt: 't' };
  expect(faultsIn(PlanTemplate, { ...plan, ...times, steps: [step] })).toEqual(['steps.0.id']);
  expect(faultsIn(PlanTemplate, { ...plan, ...times, steps: [{ ...step, id: 'a' }] })).toEqual([]);
});
