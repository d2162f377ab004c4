import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { userToken } from '@session/media';
import { interopPython } from '@session/testing';
import { v7 as uuidv7 } from 'uuid';
import { expect, onTestFinished, test } from 'vitest';
import { type TestStage, until } from '../../testing/stage.ts';
import { PROBE, type Said, saidBy, textsOf } from '../../testing/strangers.ts';
import { openWebhookStage } from '../../testing/webhook-stage.ts';

const program = fileURLToPath(new URL('../../../../infra/interop/strangers.py', import.meta.url));
const NAMES = ['Ada', 'Ben', 'Cem'];

/** Starts the program, which lets participants of LiveKit's Python SDK talk, and returns a function that sends it a command. */
function startStrangers({ media }: TestStage) {
  const env = { ...process.env, MEDIA_URL: media.url };
  const child = spawn(interopPython(), [program], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.stdin.end();
    await exited;
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async (command: object): Promise<void> => {
    child.stdin.write(`${JSON.stringify(command)}\n`);
    expect(await lines.next()).toMatchObject({ value: 'done' });
  };
}

/** Returns a text for each name. */
function eachSays(textOf: (name: string) => string): Record<string, string> {
  return Object.fromEntries(NAMES.map((name) => [name, textOf(name)]));
}

function contentsOf(texts: Said): string[] {
  return texts.map((text) => text.slice(text.indexOf(': '))).toSorted();
}

test.runIf(interopPython() !== '')(
  'with Python: all that three clients of its SDK say right after they joined is stored, and their chat messages once they are known, in ten rooms',
  async () => {
    await using opened = await openWebhookStage();
    const { stage } = opened;
    await opened.receiveWebhooks(await stage.record());
    const letStrangers = startStrangers(stage);
    for (let count = 0; count < 10; count += 1) {
      const room = await stage.recordedSession();
      const tokens = await Promise.all(
        NAMES.map(async (name) => ({
          name,
          ...(await userToken(stage.media, { room, userId: uuidv7(), name })),
        })),
      );
      await letStrangers(tokens);
      await until(async () => {
        await letStrangers(eachSays(() => PROBE));
        const history = await stage.history(room);
        const known = history.filter(({ content }) => content === PROBE);
        return new Set(known.map(({ metadata }) => metadata.participant?.identity)).size === 3;
      });
      await letStrangers(eachSays((name) => `${name} in a chat message`));
      const said = tokens.flatMap(({ identity, name }) => saidBy(identity, name));
      const stored = async () => textsOf(await stage.history(room));
      await expect.poll(async () => contentsOf(await stored())).toEqual(contentsOf(said));
      // Packets that overtake the announcement of three participants have no sender, which is better than a wrong one.
      const nameless = said.filter((text) => text.includes(' an id')).map(withoutSender);
      for (const text of await stored()) expect([...said, ...nameless]).toContain(text);
    }
  },
);

function withoutSender(text: string): string {
  return `undefined${text.slice(text.indexOf(': '))}`;
}
