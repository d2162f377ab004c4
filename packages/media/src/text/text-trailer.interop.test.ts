import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { interopPython, testMedia } from '@session/testing';
import { expect, onTestFinished, test } from 'vitest';
import { joinAsUser, makeRoomName } from '../../testing/rooms.ts';
import { userToken } from '../server/tokens.ts';

const program = fileURLToPath(new URL('../../../../infra/interop/reader.py', import.meta.url));

test.runIf(interopPython() !== '')(
  'with Python: a reader of its SDK sees with what a text ended, once the text is over',
  async () => {
    const [media, room] = [testMedia(), makeRoomName()];
    const { token } = await userToken(media, { room, userId: 'python', name: 'Python' });
    const child = spawn(interopPython(), [program], {
      env: { ...process.env, MEDIA_URL: media.url, MEDIA_TOKEN: token },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await exited;
    });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect(await lines.next()).toMatchObject({ value: 'ready' });
    await using ann = await joinAsUser(media, room, 'Ann');
    const text = await ann.openText('lk.transcription', { 'lk.segment_id': 'SG_1' });
    await text.write('Let me exp');
    await text.end({ 'session.interrupted': 'true' });
    const { value: line } = await lines.next();
    expect(JSON.parse(String(line))).toEqual({
      text: 'Let me exp',
      attributes: { 'lk.segment_id': 'SG_1', 'session.interrupted': 'true' },
    });
  },
);
