import { MAX, v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newEnvTemplate } from '../../../testing/env-templates.ts';
import { createTestProject } from '../../../testing/project.ts';
import { test } from '../../../testing/project-test.ts';
import { deleteEnvTemplate, insertEnvTemplate } from './env-template-changes.ts';
import { chooseEnvTemplate, findEnvTemplate, listEnvTemplates } from './env-templates.ts';
import { readEnvTemplate } from './sealed-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a template is found with its sealed values by members only, and listed without them', async ({
  project,
}) => {
  const { projectId, userId } = project;
  const [first, second] = [newEnvTemplate(projectId), newEnvTemplate(projectId)];
  expect(await insertEnvTemplate(project, first)).toBe('inserted');
  expect(await insertEnvTemplate(project, second)).toBe('inserted');
  const times = { version: 1, createdAt: ISO, updatedAt: ISO };
  const found = await findEnvTemplate(project, { id: first.id, userId });
  expect(found).toEqual({ ...first, ...times, memberRole: 'OWNER' });
  const userOfNone = await project.newUser();
  expect(await findEnvTemplate(project, { id: first.id, userId: userOfNone })).toBeUndefined();
  const { keyId: _k, nonce: _n, ciphertext: _c, ...shown } = second;
  const [newest] = await listEnvTemplates(project, { projectId, before: MAX, limit: 1 });
  expect(newest).toEqual({ ...shown, ...times });
  const older = await listEnvTemplates(project, { projectId, before: second.id, limit: 9 });
  expect(older.map(({ id }) => id)).toEqual([first.id]);
  await deleteEnvTemplate(project, first, project.userId);
  expect(await readEnvTemplate(project, first.id)).toBeUndefined();
});

test('an agent gets the named template, else the default, else the only one, and never that of another project', async ({
  project,
}) => {
  const { projectId } = project;
  const choose = async (id: string | null = null, of = projectId) =>
    (await chooseEnvTemplate(project, { projectId: of, id }))?.id;
  expect(await choose()).toBeUndefined();
  const [first, second, third] = [1, 2, 3].map(() => newEnvTemplate(projectId));
  if (!(first && second && third)) throw new Error('there are three');
  await insertEnvTemplate(project, first);
  expect(await choose()).toBe(first.id);
  await insertEnvTemplate(project, second);
  expect(await choose()).toBeUndefined();
  await insertEnvTemplate(project, { ...third, isDefault: true });
  expect([await choose(), await choose(first.id)]).toEqual([third.id, first.id]);
  expect([await choose(first.id, uuidv7()), await choose(uuidv7())]).toEqual([
    undefined,
    undefined,
  ]);
});

test('pages of five templates, two at a time: each once, the newest first', async ({ project }) => {
  const { projectId } = project;
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const template = newEnvTemplate(projectId);
    ids.unshift(template.id);
    await insertEnvTemplate(project, template);
  }
  const read: string[] = [];
  for (let before: string = MAX; ; ) {
    const page = await listEnvTemplates(project, { projectId, before, limit: 2 });
    read.push(...page.map(({ id }) => id));
    if (page.length < 2) break;
    before = page.at(-1)?.id ?? '';
  }
  expect(read).toEqual(ids);
});

test.each([[[]], [['A']], [['A_1', 'lower', 'ÜMLAUT', 'with "quotes", and commas']]])(
  'the names of variables come back as they were stored: %j',
  async (keys) => {
    await using project = await createTestProject();
    const template = newEnvTemplate(project.projectId, { keys });
    await insertEnvTemplate(project, template);
    const found = await findEnvTemplate(project, { id: template.id, userId: project.userId });
    expect(found?.keys).toEqual(keys);
  },
);
