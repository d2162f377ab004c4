import type * as db from '@session/db';
import { expect, test, vi } from 'vitest';
import { newApiKey } from './api-key-text.ts';
import { KnownSecrets } from './known-secrets.ts';

function open() {
  const key = newApiKey();
  const secret = {
    userId: 'service',
    secretHash: key.secretHash,
    tokenVersion: 0,
    expiresAt: null,
  };
  const stored = new Map([[key.id, secret]]);
  const findSecret = vi.fn<(id: string) => Promise<db.SecretRow | undefined>>(async (id) =>
    stored.get(id),
  );
  const noteSecretUses = vi.fn<(ids: readonly string[]) => Promise<void>>(async () => {});
  let time = 0;
  const secrets = new KnownSecrets({ findSecret, noteSecretUses }, () => time);
  const pass = (ms: number) => {
    time += ms;
  };
  return { key, secret, stored, findSecret, noteSecretUses, secrets, pass };
}

test('a key is read once a second, however many requests come with it, and a wrong one too', async () => {
  const { key, findSecret, secrets, pass } = open();
  const users = await Promise.all(Array.from({ length: 50 }, async () => await secrets.find(key)));
  expect(new Set(users.map((found) => found?.userId))).toEqual(new Set(['service']));
  const unknown = newApiKey();
  expect(await secrets.find(unknown)).toBeUndefined();
  expect(await secrets.find(unknown)).toBeUndefined();
  pass(999);
  await secrets.find(key);
  expect(findSecret).toHaveBeenCalledTimes(2);
  pass(1);
  await secrets.find(key);
  expect(findSecret).toHaveBeenCalledTimes(3);
});

test('a revoked key is refused at once where the notification arrives, and after a second where it is lost', async () => {
  const { key, secret, stored, secrets, pass } = open();
  await secrets.find(key);
  stored.delete(key.id);
  expect((await secrets.find(key))?.userId).toBe('service');
  secrets.forget(key.id);
  expect(await secrets.find(key)).toBeUndefined();
  stored.set(key.id, secret);
  pass(1);
  await secrets.find(key);
  stored.delete(key.id);
  secrets.listening();
  expect(await secrets.find(key)).toBeUndefined();
  stored.set(key.id, secret);
  pass(1000);
  await secrets.find(key);
  stored.delete(key.id);
  pass(1000);
  expect(await secrets.find(key)).toBeUndefined();
});

test('the right id with another secret is refused, also while the right one is known', async () => {
  const { key, secrets } = open();
  await secrets.find(key);
  const wrong = { id: key.id, secretHash: newApiKey().secretHash };
  expect(await secrets.find(wrong)).toBeUndefined();
  secrets.listening();
  expect([await secrets.wasValid(key), await secrets.wasValid(wrong)]).toEqual([true, false]);
});

test('a failed look is tried again by the next request', async () => {
  const { key, findSecret, secrets } = open();
  findSecret.mockRejectedValueOnce(new Error('away'));
  await expect(secrets.find(key)).rejects.toThrow('away');
  expect((await secrets.find(key))?.userId).toBe('service');
});

test('uses are noted once for each key that was accepted since the last time', async () => {
  const { key, noteSecretUses, secrets } = open();
  await secrets.noteUses();
  await secrets.find(newApiKey());
  await secrets.find(key);
  await secrets.find(key);
  await secrets.noteUses();
  await secrets.noteUses();
  expect(noteSecretUses.mock.calls).toEqual([[[key.id]]]);
});

test('of 10,001 keys the one is forgotten that was looked at the longest ago', async () => {
  const { findSecret, secrets, pass } = open();
  for (let n = 0; n < 10_000; n += 1) await secrets.find(keyOf(n));
  pass(1000);
  await secrets.find(keyOf(0));
  await secrets.find(keyOf(10_000));
  expect(findSecret).toHaveBeenCalledTimes(10_002);
  await secrets.find(keyOf(0));
  expect(findSecret).toHaveBeenCalledTimes(10_002);
  expect(await secrets.wasValid(keyOf(1))).toBe(false);
  findSecret.mockClear();
  pass(-1000);
  await secrets.find(keyOf(2));
  expect(findSecret).not.toHaveBeenCalled();
  await secrets.find(keyOf(1));
  expect(findSecret).toHaveBeenCalledTimes(1);
});

test('uses that could not be noted are noted the next time', async () => {
  const { key, noteSecretUses, secrets } = open();
  await secrets.find(key);
  noteSecretUses.mockRejectedValueOnce(new Error('away'));
  await expect(secrets.noteUses()).rejects.toThrow('away');
  await secrets.noteUses();
  expect(noteSecretUses).toHaveBeenLastCalledWith([key.id]);
});

function keyOf(n: number) {
  return { id: `key${n}`, secretHash: Buffer.alloc(32) };
}
