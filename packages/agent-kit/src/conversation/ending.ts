import { type ConversationAct, endEvent, setPhrasesOf } from '@session/conversation';
import { configurationError } from '../configuration.ts';
import type { ConversingAgentOptions } from './open-conversation.ts';
import type { RoomOutput } from './output/room-output.ts';
import { MACHINE_TIME } from './time.ts';

/** A minute in all. Within it the service stops the agent, even if another API process takes over first. */
const REPORTS = 12;
const PAUSE_MS = 5000;

/** Repeats the report of the end until the service reads it in the history and stops the agent. */
export async function reportEnd(
  { reason }: ConversationAct,
  output: Pick<RoomOutput, 'sendEvents'>,
  leaving: AbortSignal,
  { log, time: { pause } = MACHINE_TIME }: Pick<ConversingAgentOptions, 'log' | 'time'>,
): Promise<void> {
  log('leaving: model ended conversation');
  const end = endEvent(new Date().toISOString(), reason);
  // No later message shows by its number that the report was lost, so it is repeated. The history stores it once, by
  // its id.
  for (let count = 0; count < REPORTS && !leaving.aborted; count += 1) {
    await output.sendEvents([end]);
    await pause(PAUSE_MS, leaving);
  }
}

export async function leaveBySelf(
  action: 'leave' | 'goodbye',
  output: Pick<RoomOutput, 'send'>,
  { settings, log }: Pick<ConversingAgentOptions, 'log' | 'settings'>,
): Promise<void> {
  if (action === 'leave') {
    log('leaving: nobody in room, and no text received');
    return;
  }
  log('leaving: conversation reached its time limit');
  const { farewell } = setPhrasesOf(settings.persona);
  await output.send({ type: 'notice', text: farewell }).catch(() => {});
}

export function refusedForGood({
  settings: { model },
}: Pick<ConversingAgentOptions, 'settings'>): Error {
  const ofFallback = model.fallback
    ? ', and LLM_FALLBACK_API_KEY, LLM_FALLBACK_BASE_URL and LLM_FALLBACK_MODEL'
    : '';
  return configurationError(
    `The model refused three turns in a row: check LLM_API_KEY, LLM_BASE_URL and LLM_MODEL${ofFallback}.`,
  );
}
