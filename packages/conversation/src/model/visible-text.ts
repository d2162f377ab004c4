import type { ToolCallPart } from './completion-chunk.ts';
import { looksLikeToolCall, readTextToolCalls } from './text-tool-calls.ts';
import { ThoughtRemover } from './thought-remover.ts';

const OPENERS = ['```json', '```', '<tool_call>', '<|python_tag|>', '[TOOL_CALLS]', ''];
const CLOSERS = ['</tool_call>', '```'];

const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*(?:"|\\?$)|[{}[\]]/gs;

/** Longer JSON is not a tool call: a value has at most 8 KiB, and escapes multiply that by up to six. */
const MAX_HELD_LENGTH = 65_536;

/**
 * Separates what a person may read from what a model writes for itself: thoughts (`<think>…</think>`), and tool calls as
 * JSON in the text. A line that could begin a tool call is held back until it is clear what it is.
 *
 * - `line_start`: the next characters may open a tool call, so they are held until that is clear.
 * - `in_line`: text, shown at once; the next line break leads to `line_start`.
 * - `in_json`: held until the JSON is complete. A tool call is kept for `calls`, any other JSON is shown.
 * - `after_call`: a closing tag or fence of the call is dropped.
 */
export class VisibleText {
  readonly #thoughts = new ThoughtRemover();
  readonly #calls: ToolCallPart[] = [];
  #state: 'line_start' | 'in_line' | 'in_json' | 'after_call' = 'line_start';
  #held = '';

  get calls(): readonly ToolCallPart[] {
    return this.#calls;
  }

  push(text: string): string {
    return this.#filter(this.#thoughts.push(text));
  }

  finish(): string {
    const shown = this.#filter(this.#thoughts.finish());
    const rest = this.#held;
    this.#held = '';
    if (this.#state === 'after_call') return shown;
    const isHidden = this.#state === 'in_json' && looksLikeToolCall(rest);
    return isHidden ? shown : shown + rest;
  }

  #filter(text: string): string {
    this.#held += text;
    let shown = '';
    let step: string | undefined;
    do {
      step = this.#step();
      shown += step ?? '';
    } while (step !== undefined);
    return shown;
  }

  #step(): string | undefined {
    if (this.#held === '') return undefined;
    if (this.#state === 'in_line') return this.#showLine();
    if (this.#state === 'in_json') return this.#readJson();
    if (this.#state === 'after_call') return this.#dropCloser();
    const beginning = beginningOf(this.#held);
    if (beginning === 'unclear') return undefined;
    this.#state = beginning === 'json' ? 'in_json' : 'in_line';
    return '';
  }

  #showLine(): string {
    const end = this.#held.indexOf('\n') + 1;
    const line = end === 0 ? this.#held : this.#held.slice(0, end);
    if (end > 0) this.#state = 'line_start';
    this.#held = this.#held.slice(line.length);
    return line;
  }

  #readJson(): string | undefined {
    const end = endOfJson(this.#held);
    if (end === undefined && this.#held.length <= MAX_HELD_LENGTH) return undefined;
    const text = this.#held.slice(0, end);
    const calls = readTextToolCalls(text.slice(startOfJson(text)));
    this.#held = this.#held.slice(text.length);
    this.#state = calls ? 'after_call' : 'in_line';
    this.#calls.push(...(calls ?? []));
    return calls ? '' : text;
  }

  #dropCloser(): string | undefined {
    const text = this.#held.trimStart();
    if (text === '' || CLOSERS.some((closer) => isProperStart(text, closer))) return undefined;
    const closer = CLOSERS.find((candidate) => text.startsWith(candidate)) ?? '';
    this.#held = text.slice(closer.length);
    this.#state = 'line_start';
    return '';
  }
}

function beginningOf(line: string): 'json' | 'text' | 'unclear' {
  const text = line.trimStart();
  if (text === '') return 'unclear';
  for (const opener of OPENERS) {
    if (isProperStart(text, opener)) return 'unclear';
    if (text.startsWith(opener)) {
      const [, rest = ''] = /^\s*(?:\[\s*)?(.?)/s.exec(text.slice(opener.length)) ?? [];
      if (rest === '') return 'unclear';
      if (rest === '{') return 'json';
    }
  }
  return 'text';
}

function isProperStart(text: string, whole: string): boolean {
  return text.length < whole.length && whole.startsWith(text);
}

function endOfJson(text: string): number | undefined {
  const start = startOfJson(text);
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(STRING_OR_BRACKET)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return start + index + 1;
  }
  return undefined;
}

function startOfJson(text: string): number {
  return text.search(/[{[](?!TOOL_CALLS)/);
}
