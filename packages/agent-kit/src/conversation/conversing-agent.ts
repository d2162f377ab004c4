import { isAgent, type RoomEvent } from '@session/contract/room';
import {
  type AgentEvent,
  agentStateEvent,
  type ConversationAct,
  type ConversationCore,
  type UserText,
} from '@session/conversation';
import { aborted, pause, withDeadline } from '@session/kit';
import type { RoomAgent } from '../run-agent.ts';
import { isMissed } from '../user-texts.ts';
import { StateDisplay } from './agent-state.ts';
import type { ConversingRoom } from './conversing-room.ts';
import { leaveBySelf, refusedForGood, reportEnd } from './ending.ts';
import { Handover } from './handover.ts';
import { Inbox, type WaitingText } from './input/inbox.ts';
import { type ActiveStep, nextStep } from './next-step.ts';
import { type ConversingAgentOptions, openConversation } from './open-conversation.ts';
import { RoomOutput, WRITING } from './output/room-output.ts';
import { type Turn, type TurnResult, TurnSpeaker } from './output/turn-speaker.ts';
import { QuietTimes } from './quiet-times.ts';
import { MACHINE_TIME, type Time } from './time.ts';
import { UsageLog } from './usage-log.ts';

const GATHER_MS = 300;
const LAST_WORDS_MS = 2000;

/**
 * Talks with the people in its room, one turn at a time. A new text interrupts the answer. The next prompt contains the new
 * text and the part of the answer that people heard. An agent with hearing calls `hear`, `interrupt` when a person talks over it, and
 * `noticeSpeech` while a person speaks. Typed texts come from the room.
 */
export class ConversingAgent implements RoomAgent {
  readonly readsTexts = true;
  readonly done: Promise<void>;
  readonly #options: ConversingAgentOptions;
  readonly #time: Time;
  readonly #conversation: ConversationCore;
  readonly #inbox: Inbox;
  readonly #handover: Handover;
  readonly #output: RoomOutput;
  readonly #speaker: TurnSpeaker;
  readonly #state: StateDisplay;
  readonly #quiet: QuietTimes;
  readonly #usage: UsageLog;
  readonly #leaving = new AbortController();
  readonly #again: Turn = (signal) => this.#conversation.answer([], signal);
  #room: ConversingRoom | undefined;
  #ending: ConversationAct | undefined;
  #joined = Promise.withResolvers<void>();
  #wake = new AbortController();

  constructor(options: ConversingAgentOptions) {
    const { settings, ownTools, attributes, voice = WRITING, log } = options;
    const { time = MACHINE_TIME } = options;
    this.#options = options;
    this.#time = time;
    const report = this.report.bind(this);
    const conversation = openConversation(options, time, report);
    this.#conversation = conversation;
    this.#handover = new Handover({
      settings: ownTools.handover,
      open: options.stored?.openHandover,
      clock: time.now,
      operatorsChanged: (isPresent) => this.#operatorsChanged(isPresent),
      operatorIsBack: () => this.#inbox.overhearAll(),
      report,
    });
    this.#inbox = new Inbox({
      ...options,
      isTaken: () => this.#handover.hasOperator,
      overhear: (text) => conversation.overhear(text),
      overhearAnswer: (text) => conversation.overhearAnswer(text),
    });
    this.#state = new StateDisplay(log, attributes);
    this.#output = new RoomOutput(voice, this.#state, log);
    this.#speaker = new TurnSpeaker(this.#output, conversation, log);
    this.#quiet = new QuietTimes(settings, time.now);
    this.#usage = new UsageLog(() => conversation.usage, log);
    this.done = this.#run();
  }

  joined(room: ConversingRoom): void {
    this.#room = room;
    this.#inbox.use(room);
    this.#handover.use(room);
    this.#state.use(room);
    this.#output.use(room);
    this.#joined.resolve();
    this.#wake.abort();
    void this.#noteLoss(room);
  }

  receive(event: RoomEvent): void {
    if (event.type === 'participant_joined' || event.type === 'participant_left') {
      if (!isAgent(event.participant)) this.#quiet.presenceChanged();
      this.#wake.abort();
    }
    if (this.#handover.receive(event)) this.#wake.abort();
    if (this.#inbox.receive(event)) this.#textCame(isMissed(event));
  }

  /**
   * Takes a final transcript, which interrupts like a typed text. All later output waits until `written` has settled, when
   * the transcript is in the room. `saidAt`: when the person fell silent, by `performance`.
   */
  hear(
    spoken: UserText,
    written: Promise<unknown> = Promise.resolve(),
    saidAt = performance.now(),
  ): void {
    this.#output.sendAfter(written);
    this.#handover.look();
    this.#inbox.add({ text: spoken, saidAt });
    this.#textCame();
  }

  interrupt(): void {
    this.#speaker.interrupt();
  }

  noticeSpeech(): void {
    this.#quiet.personSpeaks();
  }

  report(event: AgentEvent): void {
    void this.#output.sendEvents([event]);
  }

  /**
   * Waits up to `LAST_WORDS_MS` for the answer that is being sent, then cuts it. Waits as long for running tool calls, then
   * reports that the agent leaves.
   */
  async finish(): Promise<void> {
    this.#leave();
    await withDeadline(this.#speaker.ended, LAST_WORDS_MS).catch(() => {});
    this.#speaker.interrupt();
    await this.#speaker.ended;
    await withDeadline(this.#conversation.callsEnded, LAST_WORDS_MS).catch(() => {});
    const event = { state: 'stopping', message: 'I am leaving.' } as const;
    await this.#output.sendEvents([agentStateEvent(new Date().toISOString(), event)]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave();
    this.#speaker.interrupt();
    await withDeadline(this.#speaker.ended, LAST_WORDS_MS).catch(() => {});
    await this.#conversation[Symbol.asyncDispose]();
    await this.#usage[Symbol.asyncDispose]();
    await this.#options.model[Symbol.asyncDispose]();
  }

  get #isLeaving(): boolean {
    return this.#leaving.signal.aborted;
  }

  /** A missed text was said before the agent spoke, so it does not interrupt what people already hear. */
  #textCame(wasMissed = false): void {
    this.#quiet.textCame();
    const isPatient = wasMissed && this.#output.isSaying;
    if (this.#inbox.hasWork && !isPatient) this.#speaker.interrupt();
    this.#wake.abort();
  }

  #operatorsChanged(isPresent: boolean): void {
    if (isPresent) {
      this.#inbox.overhearAll();
      this.#speaker.interrupt();
    }
    this.#conversation.noteOperator(isPresent);
    this.#wake.abort();
  }

  #leave(): void {
    this.#handover.leave();
    for (const one of [this.#leaving, this.#wake]) one.abort();
    this.#joined.resolve();
  }

  async #run(): Promise<void> {
    await this.#joined.promise;
    await this.#begin();
    for (;;) {
      if (this.#conversation.isRefusedForGood) throw refusedForGood(this.#options);
      if (this.#isLeaving) return;
      if (this.#ending)
        return await reportEnd(this.#ending, this.#output, this.#leaving.signal, this.#options);
      if (this.#conversation.isBudgetSpent) return;
      this.#state.show('listening');
      const step = nextStep({
        handover: this.#handover,
        inbox: this.#inbox,
        quiet: this.#quiet,
        conversation: this.#conversation,
        room: this.#room,
      });
      if (step.action === 'leave' || step.action === 'goodbye') {
        this.#handover.leave();
        return await leaveBySelf(step.action, this.#output, this.#options);
      }
      if (step.action === 'wait') await this.#pause(step.delayMs);
      else await this.#act(step);
    }
  }

  async #act(step: ActiveStep): Promise<void> {
    const { action } = step;
    if (action === 'answer') await this.#answerWaiting();
    if (action === 'resume') {
      const { refusal } = step;
      await this.#answer((texts, signal) => this.#conversation.resume(texts, signal, refusal));
    }
    if (action === 'retry') await this.#speak(this.#again, { again: this.#again });
    if (action === 'nudge') await this.#speak((signal) => this.#conversation.nudge(signal));
  }

  async #answerWaiting(): Promise<void> {
    this.#state.show('thinking');
    if (this.#inbox.isTyped && !(await pause(GATHER_MS, this.#leaving.signal))) return;
    if (this.#handover.isSilent) return;
    await this.#answer((texts, signal) => this.#conversation.answer(texts, signal));
  }

  async #answer(
    turn: (texts: readonly UserText[], signal: AbortSignal) => ReturnType<Turn>,
  ): Promise<void> {
    const waiting = this.#inbox.takeAll();
    const texts = waiting.map(({ text }) => text);
    await this.#speak((signal) => turn(texts, signal), { waiting, again: this.#again });
  }

  async #pause(delayMs: number): Promise<void> {
    this.#wake = new AbortController();
    await this.#time.pause(delayMs, this.#wake.signal);
  }

  async #begin(): Promise<void> {
    const { stored, tools } = this.#options;
    // MCP servers were asked for their tools while the agent joined.
    await Promise.race([tools?.opened, aborted(this.#leaving.signal)]);
    await this.#output.sendEvents(this.#conversation.begin());
    const isBegun = this.#inbox.hasWork || (stored && stored.history.length > 0);
    if (isBegun || this.#handover.isSilent) return;
    const greet: Turn = (signal) => this.#conversation.greet(signal);
    await this.#speak(greet, { again: greet });
  }

  /**
   * Runs a turn that answers the texts `waiting`. If the turn is lost before its first word, runs `again` in the next room.
   */
  async #speak(
    turn: Turn,
    {
      waiting = [],
      again,
    }: { readonly waiting?: readonly WaitingText[]; readonly again?: Turn } = {},
  ): Promise<void> {
    if (this.#isLeaving) return;
    this.#state.show('thinking');
    this.#output.noteAnswered(waiting.flatMap(({ message }) => message ?? []));
    let result = await this.#speaker.speak(turn, waiting.at(-1)?.saidAt);
    if (result === 'lost' && again)
      result = await this.#speaker.speakAgain(again, {
        joined: async () => await this.#joined.promise,
        // The next turn answers these texts too.
        isOver: () => this.#isLeaving || this.#inbox.hasWork || this.#handover.isSilent,
        leaving: this.#leaving.signal,
      });
    if (result !== 'sent') this.#inbox.forget(waiting);
    this.#quiet.agentSpoke();
    await this.#carryOut(this.#conversation.takeAct(), result);
  }

  async #carryOut(act: ConversationAct | undefined, result: TurnResult): Promise<void> {
    if (act?.kind === 'handover') {
      this.#handover.request(act);
      // An agent that was stopped while it was speaking waits for no person.
      if (this.#isLeaving) this.#handover.leave();
    } else if (act && result === 'sent' && (await this.#areLastWords())) this.#ending = act;
  }

  /**
   * Returns whether the agent's last words stay the last. A person who speaks over them wants to continue. Waits for
   * the words of a person who has only begun to speak.
   */
  async #areLastWords(): Promise<boolean> {
    for (;;) {
      if (this.#speaker.isInterrupted || this.#inbox.hasWork || this.#isLeaving) return false;
      const delayMs = this.#quiet.wordsDelayMs;
      if (delayMs === 0) return true;
      this.#state.show('listening');
      await this.#pause(delayMs);
    }
  }

  async #noteLoss(room: ConversingRoom): Promise<void> {
    await room.closed;
    if (this.#room === room && !this.#isLeaving) this.#joined = Promise.withResolvers();
  }
}
