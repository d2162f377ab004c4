import { randomUUID } from 'node:crypto';
import { type ScriptedModel, says, startScriptedModel } from '@session/conversation/testing';
import { openRoomService } from '@session/media';
import { joinAsForeigner } from '@session/media/testing';
import { testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { startConversing } from '../../testing/conversing.ts';

test('a text that comes before its sender is announced has the sender’s name, and a single speaker no label', async () => {
  await using model = await startScriptedModel(says('Noted.'));
  const server = testMedia();
  const { room, ann } = await startConversing({ model, senderWaitMs: 60_000 });
  const rooms = openRoomService(server);
  await using foreigner = await joinAsForeigner(server, room, 'Cleo');
  const { self } = foreigner;
  const say = async (text: string) => {
    const data = new TextEncoder().encode(JSON.stringify(textOf(text)));
    await self.publishData(data, { reliable: true });
  };
  await say('I have just come');
  await expect
    .poll(ann.packets)
    .toContainEqual(expect.objectContaining({ data: 'I have just come' }));
  // A recorder does this when it receives the packet.
  await rooms.announceParticipant(room, self.identity);
  await ann.untilAnswered(1);
  await say('and I am known now');
  await ann.untilAnswered(2);
  expect(promptOf(model)).toContain('"I have just come"');
  expect(promptOf(model)).toContain('"and I am known now"');
  await ann.room.say('Hi Cleo');
  await ann.untilAnswered(3);
  const said = ['Cleo: I have just come', 'Cleo: and I am known now', 'Ann: Hi Cleo'];
  for (const line of said) expect(promptOf(model)).toContain(`"${line}"`);
});

function textOf(data: string) {
  return { type: 'user_text', data, id: randomUUID() };
}

/** Returns the newest prompt as JSON. */
function promptOf({ requests }: ScriptedModel): string {
  return JSON.stringify(requests.at(-1)?.body['messages']);
}
