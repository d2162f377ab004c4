import { expect, test } from 'vitest';
import { LinkInstance } from './link-instance.ts';

const createdAt = 1_700_000_000_000;
const first = { sid: 'RM_1', createdAt };
const second = { sid: 'RM_2', createdAt: createdAt + 1 };

function open(getSid = async () => first.sid) {
  return new LinkInstance({ creationTime: new Date(createdAt), getSid });
}

test('a fresh connection is in the room that the SDK names, and no other is assumed', async () => {
  const instance = open();
  instance.proved(false);
  instance.assume(second);
  expect(await instance.find()).toEqual(first);
});

test('a room without a SID is not known', async () => {
  expect(await open(async () => '').find()).toBeUndefined();
  expect(await open(() => Promise.reject(new Error('disconnected'))).find()).toBeUndefined();
});

test('a resume stays in the room, and until that is known no room is', async () => {
  const instance = open();
  instance.reconnected();
  instance.assume(second);
  expect(await instance.find()).toBeUndefined();
  instance.proved(true);
  expect(await instance.find()).toEqual(first);
});

test('after a full reconnect the room is the first one that the server lists, also after resumes', async () => {
  const instance = open();
  instance.reconnected();
  instance.proved(false);
  expect(await instance.find()).toBeUndefined();
  for (const listed of [second, first]) instance.assume(listed);
  expect(await instance.find()).toEqual(second);
  instance.reconnected();
  instance.proved(true);
  expect(await instance.find()).toEqual(second);
});
