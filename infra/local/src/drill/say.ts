import { StartError } from '@session/kit';
import { joinDemoRoom } from '../demo/room.ts';
import { DemoSession } from '../demo/session.ts';
import type { DrillStack } from './drill-stack.ts';

const RECORDED_MS = 60_000;

/** Opens a session, waits until it is recorded, and sends `content` in its room. */
export async function say({ apiUrl, stop }: DrillStack, content: string): Promise<void> {
  await using session = await DemoSession.open(apiUrl, 'Drill', stop);
  if (!(await session.isRecorded(RECORDED_MS))) throw new StartError('No recorder has come.');
  await using room = await joinDemoRoom(await session.access(), 'Drill', () => {});
  await room.say(content);
}
