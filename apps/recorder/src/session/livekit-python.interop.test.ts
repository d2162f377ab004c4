import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { userToken } from '@session/media';
import { interopPython } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import type { TestStage } from '../../testing/stage.ts';
import { type Said, saidBy, textsOf } from '../../testing/strangers.ts';
import { openWebhookStage } from '../../testing/webhook-stage.ts';

const program = fileURLToPath(new URL('../../../../infra/interop/strangers.py', import.meta.url));
const NAMES = ['Ada', 'Ben', 'Cem'];

/** Starts the program, which lets participants of LiveKit's Python SDK talk in one session after another. */
function startStrangers({ media }: TestStage) {
  const env = { ...process.env, MEDIA_URL: media.url };
  const child = spawn(interopPython(), [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.stdin.end();
    await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async (room: string): Promise<Said> => {
    const tokens = await Promise.all(
      NAMES.map(async (name) => ({
        name,
        ...(await userToken(media, { room, userId: uuidv7(), name })),
      })),
    );
    child.stdin.write(`${JSON.stringify(tokens)}\n`);
    expect(await lines.next()).toMatchObject({ value: 'done' });
    return tokens.flatMap(({ identity, name }) => saidBy(identity, name)).toSorted();
  };
}

test.runIf(interopPython() !== '')(
  'with Python: all that three clients of its SDK say right after they joined is stored with its sender, in ten rooms',
  async () => {
    await using opened = await openWebhookStage();
    const { stage } = opened;
    await opened.receiveWebhooks(await stage.record());
    const letTalk = startStrangers(stage);
    for (let count = 0; count < 10; count += 1) {
      const sessionId = await stage.recordedSession();
      const said = await letTalk(sessionId);
      const stored = async () => textsOf(await stage.history(sessionId));
      await expect.poll(stored).toEqual(said);
    }
  },
);
