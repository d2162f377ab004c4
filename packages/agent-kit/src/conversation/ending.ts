import { type ConversationEnd, endEvent } from '@session/conversation';
import type { RoomOutput } from './output/room-output.ts';
import type { Time } from './time.ts';

/** Together a minute, within which the service stops the agent, even if another API process takes the lead first. */
const REPORTS = 12;
const PAUSE_MS = 5000;

/** Reports the end of the conversation until the service, which learns of it from the history, stops the agent. */
export async function reportEnd(
  { reason }: ConversationEnd,
  output: Pick<RoomOutput, 'sendEvents'>,
  { pause }: Time,
  leaving: AbortSignal,
): Promise<void> {
  const end = endEvent(new Date().toISOString(), reason);
  // No number follows the last message, so nobody notices when it is lost. The history stores the report once, by its id.
  for (let count = 0; count < REPORTS && !leaving.aborted; count += 1) {
    await output.sendEvents([end]);
    await pause(PAUSE_MS, leaving);
  }
}
