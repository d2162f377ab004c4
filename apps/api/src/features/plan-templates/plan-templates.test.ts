import { createTestDatabase } from '@session/testing';
import { expect, test } from 'vitest';
import { startTestApi } from '../../../testing/api.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const step = { title: 'Your name', instructions: 'Ask for the name.' };

test('201 with an id for each step and deliverable that was sent without one, and a Location that answers the same', async () => {
  await using fixture = await openFixture();
  const { projectId } = fixture;
  const steps = [
    step,
    { ...step, id: 'step-1', deliverable: 'Customer' },
    { ...step, deliverable: { id: 'wish', title: 'Wish', type: 'choice', choices: ['a', 'b'] } },
  ];
  const created = await fixture.ask('POST', fixture.path, { name: 'Intake', steps });
  expect([created.statusCode, created.json()]).toEqual([
    201,
    {
      id: expect.stringMatching(/^.{14}7/),
      projectId,
      name: 'Intake',
      description: null,
      steps: [
        { id: 'step-2', ...step },
        { ...steps[1], deliverable: { id: 'deliverable-1', title: 'Customer', type: 'text' } },
        { id: 'step-3', ...steps[2] },
      ],
      createdAt: TIME,
      updatedAt: TIME,
    },
  ]);
  const found = await fixture.ask('GET', String(created.headers.location));
  expect([found.statusCode, found.json()]).toEqual([200, created.json()]);
  const listed = await fixture.ask('GET', fixture.path);
  expect(listed.json()).toEqual({ items: [created.json()], nextCursor: null });
});

test('200 for a change of what is given, 204 for its end, and 404 from then on', async () => {
  await using fixture = await openFixture();
  const created = await fixture.ask('POST', fixture.path, {
    name: 'Intake',
    description: 'For new customers',
    steps: [step],
  });
  const url = String(created.headers.location);
  const changed = await fixture.ask('PATCH', url, { description: null });
  expect(changed.json()).toEqual({ ...created.json(), description: null, updatedAt: TIME });
  const replaced = await fixture.ask('PATCH', url, { name: 'Second', steps: [step, step] });
  expect(replaced.json()).toMatchObject({
    name: 'Second',
    steps: [{ id: 'step-1' }, { id: 'step-2' }],
  });
  expect((await fixture.ask('PATCH', url, {})).json()).toMatchObject({ name: 'Second' });
  expect((await fixture.ask('DELETE', url)).statusCode).toBe(204);
  expect((await fixture.ask('GET', url)).statusCode).toBe(404);
});

test.each<[string, unknown]>([
  ['no step', []],
  ['51 steps', Array.from({ length: 51 }, () => step)],
  ['a step without instructions', [{ title: 'Name' }]],
  ['a step with more than there is', [{ ...step, colour: 'red' }]],
  [
    'an id that is used twice',
    [
      { ...step, id: 'a' },
      { ...step, id: 'a' },
    ],
  ],
  ['an id with a space', [{ ...step, id: 'a b' }]],
  [
    'a deliverable with the id of a step',
    [{ ...step, id: 'a', deliverable: { id: 'a', title: 'A' } }],
  ],
  ['a choice without choices', [{ ...step, deliverable: { title: 'A', type: 'choice' } }]],
  [
    'more than one variable of an environment holds',
    Array.from({ length: 20 }, () => ({ ...step, instructions: 'x'.repeat(6000) })),
  ],
  ['NUL', [{ ...step, title: 'a\0' }]],
])('400 for %s', async (_, steps) => {
  await using fixture = await openFixture();
  const refused = await fixture.ask('POST', fixture.path, { name: 'Intake', steps });
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'invalid_request']);
});

async function openFixture() {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await createTestDatabase());
  const api = stack.use(await startTestApi(database.url));
  const ana = await api.createUser();
  const projectId = await api.createProject(ana);
  const owned = stack.move();
  return {
    projectId,
    path: `/projects/${projectId}/plan-templates`,
    ask: (method: 'DELETE' | 'GET' | 'PATCH' | 'POST', url: string, payload?: object) =>
      api.inject(ana, { method, url, ...(payload && { payload }) }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
