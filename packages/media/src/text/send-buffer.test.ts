import { startMediaServer, testMedia } from '@session/testing';
import { expect, test } from 'vitest';
import { joinAsRecorder, joinAsUser, makeRoomName, packetsIn } from '../../testing/rooms.ts';

test('data that is still buffered is sent before we leave, even after many small packets', async () => {
  await using server = await startMediaServer();
  const room = makeRoomName();
  await using recorder = await joinAsRecorder(server, room);
  const ann = await joinAsUser(server, room, 'Ann');
  await using ben = await joinAsUser(testMedia(), makeRoomName(), 'Ben');
  // The headers of this many packets have more bytes than the data that will be buffered.
  const ids: string[] = [];
  for (let count = 0; count < 2500; count += 1) ids.push(await ann.say('x'));
  process.kill(server.pid, 'SIGSTOP');
  try {
    for (let count = 0; count < 2; count += 1) ids.push(await ann.say('x'.repeat(60_000)));
    const leaving = ann.leave();
    // This takes as long as leaving does.
    await ben.say('hello');
    await ben.leave();
    process.kill(server.pid, 'SIGCONT');
    await leaving;
  } finally {
    process.kill(server.pid, 'SIGCONT');
  }
  await expect
    .poll(() => packetsIn(recorder.events).map((packet) => Object(packet).id))
    .toEqual(ids);
});
