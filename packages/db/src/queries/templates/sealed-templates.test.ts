import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';
import { newEnvTemplate } from '../../../testing/env-templates.ts';
import { test } from '../../../testing/project-test.ts';
import { insertEnvTemplate } from './env-template-changes.ts';
import { findEnvTemplate } from './env-templates.ts';
import {
  listEnvTemplatesOfOtherKeys,
  readEnvTemplate,
  resealEnvTemplate,
} from './sealed-templates.ts';

const LEAST_ID = '00000000-0000-0000-0000-000000000000';

test('values sealed with an old key are listed, and sealed again unless they have changed meanwhile', async ({
  project,
}) => {
  const template = newEnvTemplate(project.projectId);
  await insertEnvTemplate(project, template);
  const page = { keyId: 'k2', after: LEAST_ID, limit: 9 };
  const [former] = await listEnvTemplatesOfOtherKeys(project, page);
  expect(former).toMatchObject({ id: template.id, ciphertext: template.ciphertext });
  const sealed = { keyId: 'k2', nonce: randomBytes(12), ciphertext: randomBytes(40) };
  await resealEnvTemplate(project, template.id, randomBytes(12), sealed);
  expect(await readEnvTemplate(project, template.id)).toMatchObject({ keyId: 'k1' });
  await resealEnvTemplate(project, template.id, template.nonce, sealed);
  expect(await readEnvTemplate(project, template.id)).toMatchObject(sealed);
  expect(await listEnvTemplatesOfOtherKeys(project, page)).toEqual([]);
});

test('sealed values come back byte for byte, whatever the bytes are', async ({ project }) => {
  const every = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  for (const ciphertext of [Buffer.alloc(0), Buffer.from([0]), every, randomBytes(100_000)]) {
    const template = newEnvTemplate(project.projectId, { ciphertext, nonce: every });
    await insertEnvTemplate(project, template);
    const stored = await readEnvTemplate(project, template.id);
    expect(stored?.ciphertext.equals(ciphertext)).toBe(true);
    expect(stored?.nonce.equals(every)).toBe(true);
  }
});

test('sealing again changes neither the version nor the times that a caller sees', async ({
  project,
}) => {
  const template = newEnvTemplate(project.projectId);
  await insertEnvTemplate(project, template);
  const key = { id: template.id, userId: project.userId };
  const before = await findEnvTemplate(project, key);
  const sealed = { keyId: 'k2', nonce: randomBytes(12), ciphertext: randomBytes(40) };
  await resealEnvTemplate(project, template.id, template.nonce, sealed);
  expect(await findEnvTemplate(project, key)).toEqual({ ...before, ...sealed });
});

test('of two processes that seal again at once the first wins, and the second changes nothing', async ({
  project,
}) => {
  const template = newEnvTemplate(project.projectId);
  await insertEnvTemplate(project, template);
  const seals = ['k2', 'k3'].map((keyId) => ({
    keyId,
    nonce: randomBytes(12),
    ciphertext: randomBytes(40),
  }));
  await Promise.all(
    seals.map((sealed) => resealEnvTemplate(project, template.id, template.nonce, sealed)),
  );
  const stored = await readEnvTemplate(project, template.id);
  expect(seals.filter(({ nonce }) => stored?.nonce.equals(nonce))).toMatchObject([
    { keyId: stored?.keyId },
  ]);
});

test('templates of other keys are listed by id, page by page, in all projects', async ({
  project,
}) => {
  const other = await project.newProject();
  const own = newEnvTemplate(project.projectId, { keyId: 'k1' });
  const current = newEnvTemplate(project.projectId, { keyId: 'k2' });
  const foreign = newEnvTemplate(other.projectId, { keyId: 'k0' });
  for (const template of [own, current, foreign]) await insertEnvTemplate(project, template);
  const list = async (keyId: string, after = LEAST_ID, limit = 9) =>
    (await listEnvTemplatesOfOtherKeys(project, { keyId, after, limit })).map(({ id }) => id);
  expect(await list('k2')).toEqual([own.id, foreign.id]);
  expect(await list('k2', LEAST_ID, 1)).toEqual([own.id]);
  expect(await list('k2', own.id)).toEqual([foreign.id]);
  expect(await list('k9')).toEqual([own.id, current.id, foreign.id]);
  expect(await readEnvTemplate(project, uuidv7())).toBeUndefined();
});
