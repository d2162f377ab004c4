import { cutToBytes } from '@session/contract/room';
import type { TokenUsage, ToolCall } from './chat-message.ts';
import type { Delta } from './completion-chunk.ts';
import { ModelFailure } from './model-failure.ts';
import { ToolCallAssembler } from './tool-call-parts.ts';
import { VisibleText } from './visible-text.ts';

const BYTES_PER_TOKEN = 8;

export interface AnswerEnd {
  readonly toolCalls: readonly ToolCall[];
  readonly usage: TokenUsage | undefined;
  readonly isCut: boolean;
}

export class ModelAnswer {
  readonly #calls = new ToolCallAssembler();
  readonly #visible = new VisibleText();
  #remainingBytes: number;
  #usage: TokenUsage | undefined;
  #hasSpoken = false;
  #isCut = false;
  #isFiltered = false;

  constructor(maxOutputTokens: number) {
    this.#remainingBytes = maxOutputTokens * BYTES_PER_TOKEN;
  }

  get isFull(): boolean {
    return this.#remainingBytes < 0;
  }

  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  add({ text, toolCallParts, finishReason, usage }: Delta): string {
    this.#usage = usage ?? this.#usage;
    for (const part of toolCallParts) {
      this.#calls.add(part);
      this.#remainingBytes -= Buffer.byteLength(part.arguments ?? '');
    }
    const fitting = cutToBytes(text, Math.max(0, this.#remainingBytes));
    this.#remainingBytes -= Buffer.byteLength(text);
    this.#isCut ||= finishReason === 'length' || this.isFull;
    // Some endpoints append the name of the filter.
    this.#isFiltered ||= finishReason?.startsWith('content_filter') ?? false;
    return this.#shown(this.#visible.push(fitting));
  }

  flush(): string {
    return this.#shown(this.#visible.finish());
  }

  finish(mayBeEmpty: boolean): AnswerEnd {
    if (this.#isFiltered) throw new ModelFailure('faulty', 'the endpoint filtered the answer');
    for (const call of this.#visible.calls) this.#calls.add(call);
    const end = { toolCalls: this.#calls.finish(), usage: this.#usage, isCut: this.#isCut };
    if (this.#hasSpoken || end.toolCalls.length > 0) return end;
    if (end.isCut) throw new ModelFailure('faulty', 'the answer is cut before its first word');
    if (!mayBeEmpty) throw new ModelFailure('faulty', 'the answer is empty');
    return end;
  }

  #shown(text: string): string {
    this.#hasSpoken ||= text.trim() !== '';
    return text;
  }
}
