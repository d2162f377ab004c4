import type {
  LatestMessages,
  Me,
  Message,
  NewMessage,
  Recording,
  Session,
  SessionToken,
} from '@session/contract';
import type { CallOptions, CreateOptions } from '../http/call.ts';
import type { ListOptions } from '../http/list.ts';
import type { LatestOptions } from '../resources/messages.ts';
import type { MessagePage } from '../timeline/asks.ts';
import type { Timeline } from '../timeline/timeline.ts';

/** What a conversation needs to know of its session. */
interface SessionState extends Pick<Session, 'status'> {
  readonly recording: Pick<Recording, 'status'>;
}

/** What a conversation asks of the API. */
export interface ConversationApi {
  readonly auth: { readonly me: (options: CallOptions) => Promise<Pick<Me, 'id' | 'name'>> };
  readonly messages: {
    readonly list: (sessionId: string, options: ListOptions) => Promise<MessagePage>;
    readonly latest: (sessionId: string, options: LatestOptions) => Promise<LatestMessages>;
    readonly say: (sessionId: string, body: NewMessage, options: CreateOptions) => Promise<Message>;
  };
  readonly sessions: {
    readonly createToken: (sessionId: string, options: CallOptions) => Promise<SessionToken>;
    readonly get: (sessionId: string, options: CallOptions) => Promise<SessionState>;
  };
}

/** What the parts of one conversation share. */
export interface ConversationParts {
  readonly api: ConversationApi;
  readonly sessionId: string;
  readonly timeline: Timeline;
  readonly timing: ConversationTiming;
  readonly random: () => number;
  /** Aborts when the conversation is closed. */
  readonly signal: AbortSignal;
}

export interface ConversationTiming {
  /** For how many seconds the API holds an empty answer open. */
  readonly waitSeconds: number;
  /** After what time words that the room got and the history has not are sent by the API. */
  readonly resendMs: number;
  /** After what time words that are not stored are called so. */
  readonly verdictMs: number;
  /** The waits between attempts to come back into a room; the last one again and again. */
  readonly rejoinMs: readonly number[];
}

/** Up to two minutes of a server's restart cost a second at most; a longer absence costs 10 s. */
const QUICK_ATTEMPTS = 120;
const SLOW_MS = 10_000;

export const TIMING: ConversationTiming = {
  waitSeconds: 25,
  resendMs: 3000,
  verdictMs: 10_000,
  rejoinMs: [100, 300, 600, ...Array.from({ length: QUICK_ATTEMPTS }, () => 1000), SLOW_MS],
};
