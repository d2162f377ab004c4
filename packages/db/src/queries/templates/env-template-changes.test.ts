import { MAX } from 'uuid';
import { expect } from 'vitest';
import { newEnvTemplate } from '../../../testing/env-templates.ts';
import { test } from '../../../testing/project-test.ts';
import { deleteEnvTemplate, insertEnvTemplate, updateEnvTemplate } from './env-template-changes.ts';
import { findEnvTemplate, listEnvTemplates } from './env-templates.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a name is taken once in a project, also by two writers at the same moment', async ({
  project,
}) => {
  const name = 'keys';
  const both = await Promise.all(
    [1, 2].map(() => insertEnvTemplate(project, newEnvTemplate(project.projectId, { name }))),
  );
  expect(both.toSorted()).toEqual(['inserted', 'name_taken']);
  const other = newEnvTemplate(project.projectId);
  await insertEnvTemplate(project, other);
  const renamed = { ...other, name, version: 1 };
  expect(await updateEnvTemplate(project, renamed)).toBe('name_taken');
});

test('a project has one default template: the last that was made the default, however many try at once', async ({
  project,
}) => {
  const { projectId } = project;
  const eight = Array.from({ length: 8 }, () => newEnvTemplate(projectId, { isDefault: true }));
  const outcomes = await Promise.all(eight.map((one) => insertEnvTemplate(project, one)));
  expect(new Set(outcomes)).toEqual(new Set(['inserted']));
  const defaults = async () =>
    (await listEnvTemplates(project, { projectId, before: MAX, limit: 9 })).filter(
      ({ isDefault }) => isDefault,
    );
  expect(await defaults()).toHaveLength(1);
  const [former] = await defaults();
  const other = eight.find(({ id }) => id !== former?.id);
  const key = { id: other?.id ?? '', userId: project.userId };
  const found = await findEnvTemplate(project, key);
  if (!(other && found)) throw new Error('there are eight');
  const change = { ...other, version: found.version };
  expect(await updateEnvTemplate(project, change)).toBe('updated');
  expect((await defaults()).map(({ id }) => id)).toEqual([other.id]);
});

test('of two changes of the same version one is stored, and the other is refused', async ({
  project,
}) => {
  const template = newEnvTemplate(project.projectId);
  await insertEnvTemplate(project, template);
  const both = await Promise.all(
    ['X', 'Y'].map((key) => updateEnvTemplate(project, { ...template, keys: [key], version: 1 })),
  );
  expect(both.toSorted()).toEqual(['changed', 'updated']);
  const key = { id: template.id, userId: project.userId };
  expect((await findEnvTemplate(project, key))?.version).toBe(2);
});

test('a change replaces all that is written, counts one version more, and leaves the time of creation', async ({
  project,
}) => {
  const template = newEnvTemplate(project.projectId);
  await insertEnvTemplate(project, template);
  const key = { id: template.id, userId: project.userId };
  const before = await findEnvTemplate(project, key);
  const content = {
    ...newEnvTemplate(project.projectId, { keys: [], isDefault: true }),
    id: template.id,
  };
  expect(await updateEnvTemplate(project, { ...content, version: 1 })).toBe('updated');
  const createdAt = before?.createdAt;
  const stored = { ...content, memberRole: 'OWNER', version: 2, createdAt, updatedAt: ISO };
  expect(await findEnvTemplate(project, key)).toEqual(stored);
});

test('a change of a deleted template, or from another project, is refused and does nothing', async ({
  project,
}) => {
  const other = await project.newProject();
  const [kept, deleted] = [newEnvTemplate(project.projectId), newEnvTemplate(project.projectId)];
  for (const template of [kept, deleted]) await insertEnvTemplate(project, template);
  await deleteEnvTemplate(project, deleted, project.userId);
  expect(await updateEnvTemplate(project, { ...deleted, version: 1 })).toBe('changed');
  await updateEnvTemplate(project, {
    ...kept,
    projectId: other.projectId,
    keys: ['X'],
    version: 1,
  });
  const found = await findEnvTemplate(project, { id: kept.id, userId: project.userId });
  expect(found).toMatchObject({ projectId: project.projectId, keys: kept.keys });
});

test('a template may keep its own name, and two projects may use the same name and a default each', async ({
  project,
}) => {
  const other = await project.newProject();
  const part = { name: 'keys', isDefault: true };
  const template = newEnvTemplate(project.projectId, part);
  expect(await insertEnvTemplate(project, template)).toBe('inserted');
  expect(await insertEnvTemplate(project, newEnvTemplate(other.projectId, part))).toBe('inserted');
  expect(await updateEnvTemplate(project, { ...template, version: 1 })).toBe('updated');
  for (const { projectId } of [project, other]) {
    const listed = await listEnvTemplates(project, { projectId, before: MAX, limit: 9 });
    expect(listed).toMatchObject([{ name: 'keys', isDefault: true }]);
  }
});

test('the former default is a new version of itself, so that a change decided before is refused', async ({
  project,
}) => {
  const former = newEnvTemplate(project.projectId, { isDefault: true });
  await insertEnvTemplate(project, former);
  await insertEnvTemplate(project, newEnvTemplate(project.projectId, { isDefault: true }));
  expect(await updateEnvTemplate(project, { ...former, version: 1 })).toBe('changed');
  const found = await findEnvTemplate(project, { id: former.id, userId: project.userId });
  expect(found).toMatchObject({ version: 2, isDefault: false });
});
