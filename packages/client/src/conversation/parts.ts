import type { CallOptions, CreateOptions } from '../http/call.ts';
import type { ListOptions } from '../http/list.ts';
import type { StreamedMessage } from '../resources/message-stream.ts';
import type { LatestOptions } from '../resources/messages.ts';
import type { CreateTokenOptions } from '../resources/sessions.ts';
import type {
  LatestMessages,
  Me,
  NewMessage,
  Recording,
  Session,
  SessionToken,
} from '../shapes.ts';
import type { LearnedRow } from '../timeline/entry.ts';
import { Timeline } from '../timeline/timeline.ts';
import type { HistoryPage } from '../timeline/windows.ts';
import { Alarm } from './alarm.ts';
import { type ConversationMode, ConversationState } from './conversation-state.ts';
import type { PageState, Room } from './room.ts';

interface SessionState extends Pick<Session, 'status'> {
  readonly recording: Pick<Recording, 'status'>;
}

export interface ConversationApi {
  readonly arrivals: (
    sessionId: string,
    options: { readonly since: string; readonly signal: AbortSignal },
  ) => AsyncIterable<readonly StreamedMessage[]>;
  readonly auth: { readonly me: (options: CallOptions) => Promise<Pick<Me, 'id' | 'name'>> };
  readonly messages: {
    readonly list: (sessionId: string, options: ListOptions) => Promise<HistoryPage>;
    readonly latest: (sessionId: string, options: LatestOptions) => Promise<LatestMessages>;
    readonly say: (
      sessionId: string,
      body: NewMessage,
      options: CreateOptions,
    ) => Promise<LearnedRow>;
  };
  readonly sessions: {
    readonly createToken: (sessionId: string, options: CreateTokenOptions) => Promise<SessionToken>;
    readonly get: (sessionId: string, options: CallOptions) => Promise<SessionState>;
  };
  readonly retryNow: () => void;
}

export interface ConversationOptions {
  /** Without a room, the conversation reads the stored history and sends through the API. */
  readonly room?: Room | undefined;
  /** `join` by default. */
  readonly mode?: ConversationMode | undefined;
  /** The room's, by default. */
  readonly page?: PageState | undefined;
  readonly timing?: Partial<ConversationTiming> | undefined;
}

export interface ConversationParts {
  readonly api: ConversationApi;
  readonly sessionId: string;
  readonly timeline: Timeline;
  readonly state: ConversationState;
  readonly timing: ConversationTiming;
  readonly page: PageState | undefined;
  readonly alarm: Alarm;
  readonly random: () => number;
  readonly signal: AbortSignal;
}

export interface ConversationTiming {
  /**
   * How long a stream may take to begin. If it takes longer, waiting requests (`waitSeconds`) replace it. After a
   * broken stream, the next request waits for a random part of this time.
   */
  readonly streamMs: number;
  /** How many seconds the API holds a request open while there is nothing new. */
  readonly waitSeconds: number;
  /** How long a message that was sent into the room may take to be stored, before it is also sent through the API. */
  readonly resendMs: number;
  /** How long a message may take to be stored before it is `failed` or `unrecorded`. */
  readonly verdictMs: number;
  /**
   * The waits between attempts to rejoin a room, each up to a quarter shorter or longer. The last one repeats, and is ten times
   * as long after 120 attempts.
   */
  readonly rejoinMs: readonly number[];
}

const TIMING: ConversationTiming = {
  streamMs: 3000,
  waitSeconds: 25,
  resendMs: 3000,
  verdictMs: 10_000,
  rejoinMs: [100, 300, 600, 1000],
};

export function partsOf(
  api: ConversationApi,
  sessionId: string,
  { room, mode = 'join', page = room?.page, timing }: ConversationOptions,
  given: Pick<ConversationParts, 'random' | 'signal'>,
): ConversationParts {
  const timeline = new Timeline();
  const alarm = new Alarm(given.signal);
  const state = new ConversationState(timeline, room ? mode : 'history');
  return {
    api,
    sessionId,
    timeline,
    state,
    timing: { ...TIMING, ...timing },
    page,
    alarm,
    ...given,
  };
}
