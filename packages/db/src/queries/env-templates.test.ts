import { randomBytes } from 'node:crypto';
import { MAX, v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createTestProject } from '../../testing/project.ts';
import { type EnvTemplateContent, prepareEnvTemplateQueries } from './env-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

function newTemplate(
  projectId: string,
  part: Partial<EnvTemplateContent> = {},
): EnvTemplateContent {
  const sealed = { keyId: 'k1', nonce: randomBytes(12), ciphertext: randomBytes(40) };
  const id = uuidv7();
  return { id, projectId, name: id, keys: ['A', 'B'], isDefault: false, ...sealed, ...part };
}

test('a template is found with its sealed values by members only, and listed without them', async () => {
  await using project = await createTestProject();
  const { projectId, userId } = project;
  const templates = prepareEnvTemplateQueries(project);
  const [first, second] = [newTemplate(projectId), newTemplate(projectId)];
  expect(await templates.insertEnvTemplate(first)).toBe('inserted');
  expect(await templates.insertEnvTemplate(second)).toBe('inserted');
  const times = { version: 1, createdAt: ISO, updatedAt: ISO };
  const found = await templates.findEnvTemplate({ id: first.id, userId });
  expect(found).toEqual({ ...first, ...times, memberRole: 'OWNER' });
  const userOfNone = await project.newUser();
  expect(await templates.findEnvTemplate({ id: first.id, userId: userOfNone })).toBeUndefined();
  const { keyId: _k, nonce: _n, ciphertext: _c, ...shown } = second;
  const [newest] = await templates.listEnvTemplates({ projectId, before: MAX, limit: 1 });
  expect(newest).toEqual({ ...shown, ...times });
  const older = await templates.listEnvTemplates({ projectId, before: second.id, limit: 9 });
  expect(older.map(({ id }) => id)).toEqual([first.id]);
  await templates.deleteEnvTemplate(first.id);
  expect(await templates.readEnvTemplate(first.id)).toBeUndefined();
});

test('a name is taken once in a project, also by two writers at the same moment', async () => {
  await using project = await createTestProject();
  const templates = prepareEnvTemplateQueries(project);
  const name = 'keys';
  const both = await Promise.all(
    [1, 2].map(() => templates.insertEnvTemplate(newTemplate(project.projectId, { name }))),
  );
  expect(both.toSorted()).toEqual(['inserted', 'name_taken']);
  const other = newTemplate(project.projectId);
  await templates.insertEnvTemplate(other);
  const renamed = { ...other, name, version: 1 };
  expect(await templates.updateEnvTemplate(renamed)).toBe('name_taken');
});

test('a project has one default template: the last that was made the default, however many try at once', async () => {
  await using project = await createTestProject();
  const { projectId } = project;
  const templates = prepareEnvTemplateQueries(project);
  const eight = Array.from({ length: 8 }, () => newTemplate(projectId, { isDefault: true }));
  const outcomes = await Promise.all(eight.map((one) => templates.insertEnvTemplate(one)));
  expect(new Set(outcomes)).toEqual(new Set(['inserted']));
  const defaults = async () =>
    (await templates.listEnvTemplates({ projectId, before: MAX, limit: 9 })).filter(
      ({ isDefault }) => isDefault,
    );
  expect(await defaults()).toHaveLength(1);
  const [former] = await defaults();
  const other = eight.find(({ id }) => id !== former?.id);
  const key = { id: other?.id ?? '', userId: project.userId };
  const found = await templates.findEnvTemplate(key);
  if (!(other && found)) throw new Error('there are eight');
  const change = { ...other, version: found.version };
  expect(await templates.updateEnvTemplate(change)).toBe('updated');
  expect((await defaults()).map(({ id }) => id)).toEqual([other.id]);
});

test('of two changes of the same version one is stored, and the other is refused', async () => {
  await using project = await createTestProject();
  const templates = prepareEnvTemplateQueries(project);
  const template = newTemplate(project.projectId);
  await templates.insertEnvTemplate(template);
  const both = await Promise.all(
    ['X', 'Y'].map((key) => templates.updateEnvTemplate({ ...template, keys: [key], version: 1 })),
  );
  expect(both.toSorted()).toEqual(['changed', 'updated']);
  const key = { id: template.id, userId: project.userId };
  expect((await templates.findEnvTemplate(key))?.version).toBe(2);
});

test('an agent gets the named template, else the default, else the only one, and never that of another project', async () => {
  await using project = await createTestProject();
  const { projectId } = project;
  const templates = prepareEnvTemplateQueries(project);
  const choose = async (id: string | null = null, of = projectId) =>
    (await templates.chooseEnvTemplate({ projectId: of, id }))?.id;
  expect(await choose()).toBeUndefined();
  const [first, second, third] = [1, 2, 3].map(() => newTemplate(projectId));
  if (!(first && second && third)) throw new Error('there are three');
  await templates.insertEnvTemplate(first);
  expect(await choose()).toBe(first.id);
  await templates.insertEnvTemplate(second);
  expect(await choose()).toBeUndefined();
  await templates.insertEnvTemplate({ ...third, isDefault: true });
  expect([await choose(), await choose(first.id)]).toEqual([third.id, first.id]);
  expect([await choose(first.id, uuidv7()), await choose(uuidv7())]).toEqual([
    undefined,
    undefined,
  ]);
});

test('a change replaces all that is written, counts one version more, and leaves the time of creation', async () => {
  await using project = await createTestProject();
  const templates = prepareEnvTemplateQueries(project);
  const template = newTemplate(project.projectId);
  await templates.insertEnvTemplate(template);
  const key = { id: template.id, userId: project.userId };
  const before = await templates.findEnvTemplate(key);
  const content = {
    ...newTemplate(project.projectId, { keys: [], isDefault: true }),
    id: template.id,
  };
  expect(await templates.updateEnvTemplate({ ...content, version: 1 })).toBe('updated');
  const createdAt = before?.createdAt;
  const stored = { ...content, memberRole: 'OWNER', version: 2, createdAt, updatedAt: ISO };
  expect(await templates.findEnvTemplate(key)).toEqual(stored);
});

test('a change of a deleted template, or from another project, is refused and does nothing', async () => {
  await using project = await createTestProject();
  const templates = prepareEnvTemplateQueries(project);
  const other = await project.newProject();
  const [kept, deleted] = [newTemplate(project.projectId), newTemplate(project.projectId)];
  for (const template of [kept, deleted]) await templates.insertEnvTemplate(template);
  await templates.deleteEnvTemplate(deleted.id);
  expect(await templates.updateEnvTemplate({ ...deleted, version: 1 })).toBe('changed');
  await templates.updateEnvTemplate({
    ...kept,
    projectId: other.projectId,
    keys: ['X'],
    version: 1,
  });
  const found = await templates.findEnvTemplate({ id: kept.id, userId: project.userId });
  expect(found).toMatchObject({ projectId: project.projectId, keys: kept.keys });
});

test('a template may keep its own name, and two projects may use the same name and a default each', async () => {
  await using project = await createTestProject();
  const templates = prepareEnvTemplateQueries(project);
  const other = await project.newProject();
  const part = { name: 'keys', isDefault: true };
  const template = newTemplate(project.projectId, part);
  expect(await templates.insertEnvTemplate(template)).toBe('inserted');
  expect(await templates.insertEnvTemplate(newTemplate(other.projectId, part))).toBe('inserted');
  expect(await templates.updateEnvTemplate({ ...template, version: 1 })).toBe('updated');
  for (const { projectId } of [project, other]) {
    const listed = await templates.listEnvTemplates({ projectId, before: MAX, limit: 9 });
    expect(listed).toMatchObject([{ name: 'keys', isDefault: true }]);
  }
});

test('the former default is a new version of itself, so that a change decided before is refused', async () => {
  await using project = await createTestProject();
  const templates = prepareEnvTemplateQueries(project);
  const former = newTemplate(project.projectId, { isDefault: true });
  await templates.insertEnvTemplate(former);
  await templates.insertEnvTemplate(newTemplate(project.projectId, { isDefault: true }));
  expect(await templates.updateEnvTemplate({ ...former, version: 1 })).toBe('changed');
  const found = await templates.findEnvTemplate({ id: former.id, userId: project.userId });
  expect(found).toMatchObject({ version: 2, isDefault: false });
});

test('pages of five templates, two at a time: each once, the newest first', async () => {
  await using project = await createTestProject();
  const { projectId } = project;
  const templates = prepareEnvTemplateQueries(project);
  const ids: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    const template = newTemplate(projectId);
    ids.unshift(template.id);
    await templates.insertEnvTemplate(template);
  }
  const read: string[] = [];
  for (let before: string = MAX; ; ) {
    const page = await templates.listEnvTemplates({ projectId, before, limit: 2 });
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
    const templates = prepareEnvTemplateQueries(project);
    const template = newTemplate(project.projectId, { keys });
    await templates.insertEnvTemplate(template);
    const found = await templates.findEnvTemplate({ id: template.id, userId: project.userId });
    expect(found?.keys).toEqual(keys);
  },
);
