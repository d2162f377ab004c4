import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { AgentEvent } from '@session/contract/room';
import { StartError } from '@session/kit';
import type { ConversationCore } from '../turn/conversation.ts';
import type { TurnOutput, TurnRecord } from '../turn/turn-output.ts';
import { eventLine, printable } from './event-line.ts';

export interface ChatOptions {
  readonly conversation: ConversationCore;
  readonly input: Readable;
  readonly write: (text: string) => void;
  /** True when a person types: a new line then interrupts the answer. Lines from a file wait until the answer ends. */
  readonly isTerminal: boolean;
}

/**
 * Talks in the terminal until the input ends, the budget is used up, or `stop` aborts. Returns whether every turn had an
 * answer.
 */
export async function chat(options: ChatOptions, stop: AbortSignal): Promise<boolean> {
  const { conversation, input, write, isTerminal } = options;
  const reader = createInterface({ input, terminal: false });
  // Create the iterator first: lines that arrive before it exist are lost.
  const lines = reader[Symbol.asyncIterator]();
  let turn = new AbortController();
  if (isTerminal) reader.on('line', () => turn.abort());
  const close = () => reader.close();
  stop.addEventListener('abort', close);
  const printer = new Printer(write, isTerminal);
  let isGood = true;
  try {
    for (const event of conversation.begin()) printer.event(event);
    isGood = await printer.turn(conversation.greet(AbortSignal.any([stop, turn.signal])));
    if (isOver(conversation, write)) return isGood;
    for await (const line of lines) {
      if (stop.aborted || conversation.isBudgetSpent) break;
      if (line.trim() === '') continue;
      if (!isTerminal) write(`you: ${line}\n`);
      turn = new AbortController();
      const signal = AbortSignal.any([stop, turn.signal]);
      const isAnswered = await printer.turn(conversation.answer([{ text: line }], signal));
      isGood &&= isAnswered;
      if (isOver(conversation, write)) break;
    }
  } finally {
    stop.removeEventListener('abort', close);
    reader.close();
  }
  if (isTerminal) write('\n');
  return isGood;
}

function isOver(conversation: ConversationCore, write: ChatOptions['write']): boolean {
  if (conversation.isRefusedForGood) throw refusedForGood();
  const act = conversation.takeAct();
  if (!act) return false;
  const isEnd = act.kind === 'conversation_ended';
  // Nobody can join a conversation in the terminal, so it continues.
  write(isEnd ? '  · The agent ended the conversation.\n' : '  · The agent asks for a person.\n');
  return isEnd;
}

class Printer {
  readonly #write: (text: string) => void;
  readonly #prompt: string;
  #isInAnswer = false;

  constructor(write: (text: string) => void, isTerminal: boolean) {
    this.#write = write;
    this.#prompt = isTerminal ? 'you: ' : '';
  }

  event(event: AgentEvent): void {
    // A tool call gets one line, at its end.
    if (event.type !== 'tool_call' || event.state !== 'started') this.#line(eventLine(event));
  }

  async turn(outputs: AsyncIterable<TurnOutput>): Promise<boolean> {
    let isGood = true;
    for await (const output of outputs) {
      if (output.type === 'text') this.#answer(output.text);
      if (output.type === 'event') this.event(output.event);
      if (output.type === 'notice') this.#line(`  ! ${output.text}`);
      if (output.type === 'end') isGood = this.#end(output.record);
    }
    this.#write(this.#prompt);
    return isGood;
  }

  #end({ outcome, reason, detail }: TurnRecord): boolean {
    if (reason) this.#line(`  ! ${reason}: ${printable(detail ?? '')}`);
    else if (outcome === 'interrupted') this.#line('  ! interrupted');
    else if (outcome === 'truncated') this.#line('  ! truncated: the answer reached its limit');
    this.#endAnswer();
    return reason === undefined;
  }

  #answer(text: string): void {
    if (!this.#isInAnswer) this.#write('agent: ');
    this.#isInAnswer = true;
    this.#write(printable(text));
  }

  #line(text: string): void {
    this.#endAnswer();
    this.#write(`${text}\n`);
  }

  #endAnswer(): void {
    if (this.#isInAnswer) this.#write('\n');
    this.#isInAnswer = false;
  }
}

function refusedForGood(): StartError {
  return new StartError(
    'The model refused three turns in a row: check LLM_API_KEY, LLM_BASE_URL and LLM_MODEL.',
  );
}
