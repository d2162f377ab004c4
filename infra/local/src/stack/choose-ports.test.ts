import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { firstFreePort } from '../supervision/ports.ts';
import { choosePorts } from './choose-ports.ts';
import { API, CONSOLE } from './stack-context.ts';

const host = '127.0.0.1';

test('the usual port of a part that the user has chosen for another part is taken, whichever part asks first', async () => {
  const folder = await makeFolder();
  const [one, two] = [await firstFreePort([], host), await firstFreePort([], host)];
  const port = { wanted: two, variable: 'PORT' };
  const first = choosePorts({ folder, port, console: consoleAt(usual(two)) });
  const consolePort = await first.portOf(CONSOLE, host, usual(two));
  expect(await first.portOf(API, host, port)).toBe(two);
  expect(consolePort).not.toBe(two);
  expect(first.takenPorts).toEqual({ [CONSOLE]: two });

  const choice = { wanted: one, variable: 'CONSOLE_PORT' };
  const second = choosePorts({ folder, port: usual(one), console: consoleAt(choice) });
  expect(await second.portOf(API, host, usual(one))).not.toBe(one);
  expect(await second.portOf(CONSOLE, host, choice)).toBe(one);
  expect(second.takenPorts).toEqual({ [API]: one });
});

test('a part that asks again gets the same port, and no other part gets it meanwhile', async () => {
  const folder = await makeFolder();
  const wanted = await firstFreePort([], host);
  const choice = usual(wanted);
  const { portOf, takenPorts } = choosePorts({ folder, port: choice, console: undefined });
  expect(await portOf(API, host, choice)).toBe(wanted);
  expect(await portOf('recorder-1', host, { usual: wanted })).not.toBe(wanted);
  expect(await portOf(API, host, choice)).toBe(wanted);
  expect(takenPorts).toEqual({});
});

function usual(wanted: number) {
  return { wanted, variable: undefined };
}

function consoleAt(port: { readonly wanted: number; readonly variable: string | undefined }) {
  return { port, pagesFolder: undefined };
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ports-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}
