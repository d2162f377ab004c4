import path from 'node:path';
import { writeJson } from '../supervision/json-file.ts';
import { firstFreePort } from '../supervision/ports.ts';
import { LOOPBACK } from './stack-context.ts';

/**
 * Chooses ports for the media server of a new stack in `folder`. Avoids the usual ones, which other starting stacks would
 * take while a killed media server restarts.
 */
export async function chooseMediaPorts(folder: string): Promise<void> {
  const port = await firstFreePort([], LOOPBACK);
  const rtcPort = await firstFreePort([], LOOPBACK, new Set([port]));
  const ports = { 'media server': port, 'media server (UDP)': rtcPort };
  await writeJson(path.join(folder, 'ports.json'), ports);
}
