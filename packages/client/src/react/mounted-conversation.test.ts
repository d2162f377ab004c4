import { expect, test } from 'vitest';
import { makeConversation } from '../../testing/conversations.ts';
import { refusal } from '../../testing/fake-service.ts';
import { MountedConversation } from './mounted-conversation.ts';

function mountable() {
  const made: ReturnType<typeof makeConversation>[] = [];
  const mounted = new MountedConversation(() => {
    const one = makeConversation((api) => api.append());
    made.push(one);
    return one.conversation;
  });
  return { made, mounted };
}

const nothing = () => {};

test('a conversation is made and opened by its first subscriber, and not before', async () => {
  const { made, mounted } = mountable();
  expect([mounted.getSnapshot(), made.length]).toEqual([undefined, 0]);
  const changed = Promise.withResolvers<void>();
  const leave = mounted.subscribe(changed.resolve);
  const other = mounted.subscribe(nothing);
  await changed.promise;
  expect([mounted.getSnapshot(), made.length]).toEqual([made[0]?.conversation, 1]);
  await expect.poll(made[0]?.shown ?? nothing).toEqual(['row 1: complete']);
  leave();
  expect(mounted.getSnapshot()).toBe(made[0]?.conversation);
  other();
  expect(mounted.getSnapshot()).toBeUndefined();
  await made[0]?.conversation.close();
  expect(made[0]?.connection()).toBe('idle');
});

test('who subscribes again, as in strict mode, gets a conversation that is open', async () => {
  const { made, mounted } = mountable();
  mounted.subscribe(nothing)();
  const leave = mounted.subscribe(nothing);
  expect(mounted.getSnapshot()).toBe(made[1]?.conversation);
  await expect.poll(made[1]?.shown ?? nothing).toEqual(['row 1: complete']);
  leave();
});

test('a conversation that the API refuses shows why, and rejects nothing unseen', async () => {
  const { mounted, made } = mountable();
  const leave = mounted.subscribe(nothing);
  made[0]?.api.faults.set('all', refusal(404, 'not_found'));
  made[0]?.api.wake();
  await expect
    .poll(() => mounted.getSnapshot()?.timeline.getSnapshot().error?.code)
    .toBe('not_found');
  leave();
});
