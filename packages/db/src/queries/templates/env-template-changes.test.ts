import { MAX } from 'uuid';
import { expect } from 'vitest';
import { newEnvTemplate } from '../../../testing/env-templates.ts';
import { test } from '../../../testing/project-test.ts';
import { prepareEnvTemplateQueries } from './env-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a name is taken once in a project, also by two writers at the same moment', async ({
  project,
}) => {
  const templates = prepareEnvTemplateQueries(project);
  const name = 'keys';
  const both = await Promise.all(
    [1, 2].map(() => templates.insertEnvTemplate(newEnvTemplate(project.projectId, { name }))),
  );
  expect(both.toSorted()).toEqual(['inserted', 'name_taken']);
  const other = newEnvTemplate(project.projectId);
  await templates.insertEnvTemplate(other);
  const renamed = { ...other, name, version: 1 };
  expect(await templates.updateEnvTemplate(renamed)).toBe('name_taken');
});

test('a project has one default template: the last that was made the default, however many try at once', async ({
  project,
}) => {
  const { projectId } = project;
  const templates = prepareEnvTemplateQueries(project);
  const eight = Array.from({ length: 8 }, () => newEnvTemplate(projectId, { isDefault: true }));
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

test('of two changes of the same version one is stored, and the other is refused', async ({
  project,
}) => {
  const templates = prepareEnvTemplateQueries(project);
  const template = newEnvTemplate(project.projectId);
  await templates.insertEnvTemplate(template);
  const both = await Promise.all(
    ['X', 'Y'].map((key) => templates.updateEnvTemplate({ ...template, keys: [key], version: 1 })),
  );
  expect(both.toSorted()).toEqual(['changed', 'updated']);
  const key = { id: template.id, userId: project.userId };
  expect((await templates.findEnvTemplate(key))?.version).toBe(2);
});

test('a change replaces all that is written, counts one version more, and leaves the time of creation', async ({
  project,
}) => {
  const templates = prepareEnvTemplateQueries(project);
  const template = newEnvTemplate(project.projectId);
  await templates.insertEnvTemplate(template);
  const key = { id: template.id, userId: project.userId };
  const before = await templates.findEnvTemplate(key);
  const content = {
    ...newEnvTemplate(project.projectId, { keys: [], isDefault: true }),
    id: template.id,
  };
  expect(await templates.updateEnvTemplate({ ...content, version: 1 })).toBe('updated');
  const createdAt = before?.createdAt;
  const stored = { ...content, memberRole: 'OWNER', version: 2, createdAt, updatedAt: ISO };
  expect(await templates.findEnvTemplate(key)).toEqual(stored);
});

test('a change of a deleted template, or from another project, is refused and does nothing', async ({
  project,
}) => {
  const templates = prepareEnvTemplateQueries(project);
  const other = await project.newProject();
  const [kept, deleted] = [newEnvTemplate(project.projectId), newEnvTemplate(project.projectId)];
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

test('a template may keep its own name, and two projects may use the same name and a default each', async ({
  project,
}) => {
  const templates = prepareEnvTemplateQueries(project);
  const other = await project.newProject();
  const part = { name: 'keys', isDefault: true };
  const template = newEnvTemplate(project.projectId, part);
  expect(await templates.insertEnvTemplate(template)).toBe('inserted');
  expect(await templates.insertEnvTemplate(newEnvTemplate(other.projectId, part))).toBe('inserted');
  expect(await templates.updateEnvTemplate({ ...template, version: 1 })).toBe('updated');
  for (const { projectId } of [project, other]) {
    const listed = await templates.listEnvTemplates({ projectId, before: MAX, limit: 9 });
    expect(listed).toMatchObject([{ name: 'keys', isDefault: true }]);
  }
});

test('the former default is a new version of itself, so that a change decided before is refused', async ({
  project,
}) => {
  const templates = prepareEnvTemplateQueries(project);
  const former = newEnvTemplate(project.projectId, { isDefault: true });
  await templates.insertEnvTemplate(former);
  await templates.insertEnvTemplate(newEnvTemplate(project.projectId, { isDefault: true }));
  expect(await templates.updateEnvTemplate({ ...former, version: 1 })).toBe('changed');
  const found = await templates.findEnvTemplate({ id: former.id, userId: project.userId });
  expect(found).toMatchObject({ version: 2, isDefault: false });
});
