import { isAgent } from '@session/contract/room';
import type { ConversationCore } from '@session/conversation';
import type { ConversingRoom } from './conversing-room.ts';
import type { Handover, SilentStep } from './handover.ts';
import type { Inbox } from './input/inbox.ts';
import type { QuietStep, QuietTimes } from './quiet-times.ts';

type Step = QuietStep | SilentStep | { readonly action: 'answer' };
export type ActiveStep = Exclude<Step, { readonly action: 'goodbye' | 'leave' | 'wait' }>;

interface Parts {
  readonly handover: Handover;
  readonly inbox: Inbox;
  readonly quiet: QuietTimes;
  readonly conversation: ConversationCore;
  readonly room: ConversingRoom | undefined;
}

export function nextStep(parts: Parts): Step {
  const { handover, inbox, quiet } = parts;
  const silent = handover.step(() => quietStep(parts));
  if (silent) return silent;
  const mayAnswer = inbox.hasWork && !quiet.isTimeOver;
  return mayAnswer ? { action: 'answer' } : quietStep(parts);
}

function quietStep({ handover, inbox, quiet, conversation, room }: Parts): QuietStep {
  const { steps = [] } = conversation.planState ?? {};
  const isActive = steps.some(({ state }) => state === 'active');
  const { isSilent } = handover;
  return quiet.next({
    isPersonPresent: room?.participants.some((one) => !isAgent(one)) ?? false,
    // Only one of several agents asks.
    hasActiveStep: isActive && inbox.isFirst && !isSilent,
    retryAt: isSilent ? undefined : conversation.retryAt,
  });
}
