import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { openVault } from './vault.ts';

const place = { id: uuidv7(), projectId: uuidv7() };
const variables = { LLM_API_KEY: 'sk-hunter2', GREETING: 'Grüß dich, “Ana”\n👋', EMPTY: '' };
const [one, two] = ['first secret of 32 bytes or more!', 'second secret of 32 bytes or more'];

test('sealed variables open again, and reveal nothing until then', () => {
  const vault = openVault([one]);
  const sealed = vault.seal(variables, place);
  expect(sealed.ciphertext.toString('latin1')).not.toContain('hunter2');
  expect(vault.open({ ...sealed, ...place })).toEqual(variables);
});

test('the same values are sealed with a new nonce each time', () => {
  const vault = openVault([one]);
  const twice = [vault.seal(variables, place), vault.seal(variables, place)];
  expect(new Set(twice.map(({ nonce }) => nonce.toString('hex'))).size).toBe(2);
  expect(new Set(twice.map(({ ciphertext }) => ciphertext.toString('hex'))).size).toBe(2);
});

test('nothing opens for another template, with another key, or with a changed bit', () => {
  const vault = openVault([one]);
  const sealed = { ...vault.seal(variables, place), ...place };
  expect(vault.open({ ...sealed, projectId: uuidv7() })).toBeUndefined();
  expect(vault.open({ ...sealed, id: uuidv7() })).toBeUndefined();
  expect(openVault([two]).open(sealed)).toBeUndefined();
  expect(openVault([two]).open({ ...sealed, keyId: openVault([two]).keyId })).toBeUndefined();
  expect(vault.open({ ...sealed, nonce: randomBytes(12) })).toBeUndefined();
  for (const index of [0, sealed.ciphertext.length - 1]) {
    const ciphertext = Buffer.from(sealed.ciphertext);
    ciphertext[index] = (ciphertext[index] ?? 0) ^ 1;
    expect(vault.open({ ...sealed, ciphertext })).toBeUndefined();
  }
  expect(vault.open({ ...sealed, ciphertext: sealed.ciphertext.subarray(-8) })).toBeUndefined();
});

test('after a rotation the former key still opens, and the new one seals', () => {
  const former = { ...openVault([one]).seal(variables, place), ...place };
  const vault = openVault([two, one]);
  expect(vault.open(former)).toEqual(variables);
  const sealed = { ...vault.seal(variables, place), ...place };
  expect(sealed.keyId).not.toBe(former.keyId);
  expect(openVault([two]).open(sealed)).toEqual(variables);
});
