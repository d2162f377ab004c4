// A program for the tests: it sends half a sentence, and then nothing until it is killed.
import { TRANSCRIPTION_TOPIC } from '@session/contract/room';
import { aborted, runMain } from '@session/kit';
import { joinRoom } from '@session/media';

await runMain(async (stop) => {
  const { TALKER_URL: url = '', TALKER_TOKEN: token = '' } = process.env;
  const room = await joinRoom({ url, token });
  const text = await room.openText(TRANSCRIPTION_TOPIC);
  await text.write('half a sen');
  // Text streams of a topic stay in order: a recorder that received the mark has the half sentence too.
  await room.sendText(TRANSCRIPTION_TOPIC, 'a mark');
  await aborted(stop);
});
