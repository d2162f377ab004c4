import { joinAsRecorder, joinAsUser, makeRoomName, packetsIn } from '@session/media/testing';
import { testMedia } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { StateDisplay } from '../agent-state.ts';
import { RoomOutput, WRITING } from './room-output.ts';

function ended(message: string) {
  const at = new Date().toISOString();
  return { type: 'conversation_ended', id: uuidv7(), at, message, reason: 'completed' } as const;
}

test('an event that is too large for a packet is logged and left out, and the next ones are sent', async () => {
  const [server, name] = [testMedia(), makeRoomName()];
  await using recorder = await joinAsRecorder(server, name);
  await using room = await joinAsUser(server, name, 'Agent');
  const log: string[] = [];
  const output = new RoomOutput(WRITING, new StateDisplay(() => {}), (line) => log.push(line));
  output.use(room);
  await output.sendEvents([ended('x'.repeat(64_000)), ended('goodbye')]);
  await expect.poll(() => packetsIn(recorder.events)).toMatchObject([{ message: 'goodbye' }]);
  expect(log).toEqual([expect.stringMatching(/^sending conversation_ended failed: RangeError/)]);
});
