import type { TextStreamEvent } from '@session/contract/room';
import { Conversation } from '../src/conversation/conversation.ts';
import type { ConversationMode, ConversationTiming, PageState } from '../src/index.ts';
import { FakeRoom } from './fake-room.ts';
import { FakeService } from './fake-service.ts';
import { SESSION } from './model/history.ts';
import { participant } from './model/live.ts';

/** Short enough for a test to wait, and long enough for a stored message to arrive first. */
const RESEND_MS = 20;
export const VERDICT_MS = 60;
const timing = { verdictMs: VERDICT_MS, rejoinMs: [1], streamMs: 1 };

export async function openConversation(prepare?: (api: FakeService) => void) {
  const made = makeConversation(prepare);
  await made.conversation.open();
  return made;
}

export function makeConversation(
  prepare: (api: FakeService) => void = () => {},
  {
    hasRoom = true,
    resendMs = RESEND_MS,
    page,
    timing: own,
    mode,
    random = () => 0,
  }: {
    hasRoom?: boolean;
    resendMs?: number;
    page?: PageState;
    timing?: Partial<ConversationTiming>;
    mode?: ConversationMode;
    random?: () => number;
  } = {},
) {
  const api = new FakeService();
  prepare(api);
  const room = new FakeRoom();
  const options = { timing: { ...timing, resendMs, ...own }, page, mode, ...(hasRoom && { room }) };
  const conversation = new Conversation(api, SESSION, options, random);
  const shown = () =>
    conversation.timeline.getSnapshot().items.map(({ content, state }) => `${content}: ${state}`);
  const connection = () => conversation.timeline.getSnapshot().connection;
  return {
    api,
    room,
    conversation,
    shown,
    connection,
    [Symbol.asyncDispose]: async () => await conversation.close(),
  };
}

/** Returns a text stream of Ben's. */
export function textStream(text: string, part: Partial<TextStreamEvent> = {}): TextStreamEvent {
  return {
    type: 'text_stream',
    topic: 'lk.transcription',
    streamId: 'stream-1',
    attributes: { 'lk.segment_id': 'SG_1', 'lk.transcription_final': 'true' },
    text,
    hasEnded: true,
    sentAt: null,
    sender: participant('ben'),
    receivedAt: 0,
    ...part,
  };
}
