import { isAgent, type RoomEvent, type RoomMessage, type StepState } from '@session/contract/room';
import {
  agentStateEvent,
  ConversationCore,
  type OpenModel,
  type TurnOutput,
  type UserText,
} from '@session/conversation';
import { pause, withDeadline } from '@session/kit';
import type { JoinedRoom } from '@session/media';
import { configurationError } from '../configuration.ts';
import type { RoomAgent } from '../run-agent.ts';
import { UserTexts } from '../user-texts.ts';
import type { ConversationConfig } from './load-config.ts';
import { type QuietStep, QuietTimes } from './quiet-times.ts';
import { type OutputRoom, RoomOutput } from './room-output.ts';
import { type Voice, WRITING } from './voice.ts';

/** Typed texts that come within this time of the first one are answered together. */
const GATHER_MS = 300;
/** How long a sentence may go on when the agent is asked to leave. */
const LAST_WORDS_MS = 2000;
/** A text that nobody has answered is answered after a restart, unless it is older than this. */
const STALE_MS = 120_000;
const TIME_OVER_NOTICE = 'Our time is over. Goodbye.';

/** What a conversation needs of its room. */
type TalkRoom = OutputRoom & Pick<JoinedRoom, 'participants'>;

export interface ConversingAgentOptions extends Omit<ConversationConfig, 'room'> {
  readonly sessionId: string;
  /** The agent closes it. */
  readonly model: OpenModel;
  /** Speaks the answers. By default they are only written. */
  readonly voice?: Voice;
  readonly log: (line: string) => void;
}

/** A text that waits for its answer. A spoken text is no message of the room yet: its transcript is. */
interface WaitingText {
  readonly text: UserText;
  readonly message?: RoomMessage;
}

/**
 * Talks with the people in its room. One turn runs at a time. A new text interrupts the answer that is being sent: what
 * people heard of it stays, and both texts are in the next prompt.
 *
 * An agent with ears calls `hear` for each text that a person spoke, `interrupt` when a person talks over the agent, and
 * `noticeSpeech` while a person speaks. Its voice is the option `voice`. Typed texts come from the room itself.
 */
export class ConversingAgent implements RoomAgent {
  readonly done: Promise<void>;
  readonly #options: ConversingAgentOptions;
  readonly #conversation: ConversationCore;
  readonly #texts: UserTexts;
  readonly #output: RoomOutput;
  readonly #quiet: QuietTimes;
  /** Whether a person has asked something before the start, and waits for the answer. */
  readonly #isAsked: boolean;
  readonly #joined = Promise.withResolvers<void>();
  readonly #leaving = new AbortController();
  #room: TalkRoom | undefined;
  #waiting: WaitingText[] = [];
  /** Ends the pause until the agent does something by itself. */
  #wake = new AbortController();
  #turn = new AbortController();
  #turnEnded: Promise<void> = Promise.resolve();

  constructor(options: ConversingAgentOptions) {
    const { settings, sessionId, plan, stored, model, voice = WRITING, log } = options;
    this.#options = options;
    const { answered = [], unanswered } = stored ?? {};
    const asked = unanswered && isFresh(unanswered.at) ? unanswered.messages : [];
    this.#isAsked = asked.length > 0;
    this.#texts = new UserTexts(sessionId, [...answered, ...asked]);
    this.#output = new RoomOutput(voice, log);
    this.#quiet = new QuietTimes(settings.limits, () => performance.now());
    this.#conversation = new ConversationCore({
      settings,
      model: model.client,
      sessionId,
      plan,
      history: stored?.history ?? [],
      planState: stored?.plans.find(({ id }) => id === plan?.id),
    });
    this.done = this.#run();
  }

  joined(room: TalkRoom): void {
    this.#room = room;
    this.#output.use(room);
    void this.#output.sendEvents([]);
    this.#joined.resolve();
  }

  receive(event: RoomEvent): void {
    if (event.type === 'participant_joined' || event.type === 'participant_left') {
      if (!isAgent(event.participant)) this.#quiet.presenceChanged();
      this.#wake.abort();
    }
    const message = this.#texts.take(event);
    if (message) this.#take({ text: textOf(message), message });
  }

  /** Takes what a person said: the final transcript of one turn of speech. It interrupts as a typed text does. */
  hear(spoken: UserText): void {
    this.#take({ text: spoken });
  }

  /** Ends the answer that is being sent. The agent then waits for a text. */
  interrupt(): void {
    this.#turn.abort();
    void this.#output.silence().catch(() => {});
  }

  /** Says that a person is speaking at this moment: the agent does not ask again because of silence. */
  noticeSpeech(): void {
    this.#quiet.textCame();
  }

  /** Waits for the answer that is being sent, but cuts it after `LAST_WORDS_MS`. Then says that the agent leaves. */
  async finish(): Promise<void> {
    this.#leave();
    await withDeadline(this.#turnEnded, LAST_WORDS_MS).catch(() => {});
    this.interrupt();
    await this.#turnEnded;
    const event = { state: 'stopping', message: 'I am leaving.' } as const;
    await this.#output.sendEvents([agentStateEvent(new Date().toISOString(), event)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    this.interrupt();
    await withDeadline(this.#turnEnded, LAST_WORDS_MS).catch(() => {});
    await this.#conversation[Symbol.asyncDispose]();
    await this.#options.model[Symbol.asyncDispose]();
  }

  #take(text: WaitingText): void {
    this.#quiet.textCame();
    this.#waiting.push(text);
    this.interrupt();
    this.#wake.abort();
  }

  /** From now on no turn begins. */
  #leave(): void {
    this.#leaving.abort();
    this.#joined.resolve();
    this.#wake.abort();
  }

  /** Returns when the agent leaves. Throws when the model refused for good, and whatever is a fault of ours. */
  async #run(): Promise<void> {
    await this.#joined.promise;
    await this.#begin();
    for (;;) {
      if (this.#conversation.isRefusedForGood) throw refusedForGood();
      if (this.#leaving.signal.aborted || this.#conversation.isBudgetSpent) return;
      const step = this.#nextStep();
      if (step.action === 'answer') await this.#answerWaiting();
      if (step.action === 'wait') await this.#pause(step.delayMs);
      if (step.action === 'nudge') {
        await this.#speak((signal) => this.#conversation.nudge(signal));
      }
      if (step.action === 'leave' || step.action === 'goodbye') {
        await this.#leaveBySelf(step.action);
        return;
      }
    }
  }

  #nextStep(): QuietStep | { readonly action: 'answer' } {
    if (this.#waiting.length > 0 && !this.#quiet.isTimeOver) return { action: 'answer' };
    return this.#quiet.next({
      isPersonPresent: this.#room?.participants.some((one) => !isAgent(one)) ?? false,
      hasActiveStep: this.#conversation.planState?.steps.some(isActive) ?? false,
    });
  }

  /** Answers the texts that wait, and those that come soon after them. Who speaks has paused already. */
  async #answerWaiting(): Promise<void> {
    const isTyped = this.#waiting.every(({ message }) => message);
    if (isTyped && !(await pause(GATHER_MS, this.#leaving.signal))) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    const texts = waiting.map(({ text }) => text);
    await this.#speak((signal) => this.#conversation.answer(texts, signal), waiting);
  }

  /** Waits until a person says something, comes or leaves. */
  async #pause(delayMs: number): Promise<void> {
    this.#wake = new AbortController();
    await pause(delayMs, this.#wake.signal);
  }

  async #leaveBySelf(action: 'leave' | 'goodbye'): Promise<void> {
    if (action === 'leave') {
      this.#options.log('leaves: nobody is in the room, and no text has come');
      return;
    }
    this.#options.log('leaves: the longest time of a conversation is over');
    await this.#output.send({ type: 'notice', text: TIME_OVER_NOTICE }).catch(() => {});
  }

  async #begin(): Promise<void> {
    const { stored } = this.#options;
    await this.#output.sendEvents(this.#conversation.begin());
    if (!stored || stored.history.length === 0) {
      await this.#speak((signal) => this.#conversation.greet(signal));
      return;
    }
    if (this.#isAsked) {
      await this.#speak((signal) => this.#conversation.answer([], signal));
    }
  }

  /** Runs one turn to its end. `asked` are the texts that it answers. */
  async #speak(
    turn: (signal: AbortSignal) => AsyncIterable<TurnOutput>,
    asked: readonly WaitingText[] = [],
  ): Promise<void> {
    if (this.#leaving.signal.aborted) return;
    this.#turn = new AbortController();
    const speaking = this.#sendAll(turn(this.#turn.signal), asked);
    this.#turnEnded = speaking.catch(() => {});
    await speaking;
    this.#quiet.agentSpoke();
  }

  async #sendAll(outputs: AsyncIterable<TurnOutput>, asked: readonly WaitingText[]): Promise<void> {
    let failure: string | undefined;
    for await (const output of outputs) {
      // The turn is read to its end also when its words reach nobody: the events of the plan count.
      if (failure !== undefined && output.type !== 'event') continue;
      try {
        await this.#output.send(output);
      } catch (error) {
        failure = String(error);
        this.#turn.abort();
      }
    }
    if (failure !== undefined) await this.#output.abandon();
    const heard = this.#output.takeHeard();
    if (this.#turn.signal.aborted) this.#conversation.cutAnswer(heard);
    if (failure === undefined) return;
    for (const { message } of asked) if (message) this.#texts.forget(message);
    this.#options.log(`cannot send an answer: ${failure}`);
  }
}

/** What the API sends for a client of REST has no sender, and so no name. */
function textOf({ content, metadata }: RoomMessage): UserText {
  const { name: speaker, identity } = metadata.participant ?? {};
  return { text: content, speaker, identity };
}

function isFresh(at: string): boolean {
  return Date.now() - Date.parse(at) < STALE_MS;
}

function isActive({ state }: StepState): boolean {
  return state === 'active';
}

function refusedForGood(): Error {
  return configurationError(
    'The model refused three turns in a row: check LLM_API_KEY, LLM_BASE_URL and LLM_MODEL.',
  );
}
