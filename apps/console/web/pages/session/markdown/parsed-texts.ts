import { Lexer, type Token } from 'marked';
import { createContext, useContext } from 'react';
import { BoundedTokenizer } from './bounded-tokenizer.ts';

const MAX_LENGTH = 12_000;
/** Matches a line with twelve nested quotes and lists. No reader can follow that, and much deeper nesting exceeds the stack. */
const TOO_DEEP = /^(?:[ \t]*(?:>|[-+*]|\d+[.)])){12}/m;

/** More than a screen shows, so that rows which are scrolled away and back are not parsed again. */
const MAX_TEXTS = 300;

export class ParsedTexts {
  readonly #parsed = new Map<string, readonly Token[] | null>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Returns the marks of a text; null for a text that would take too long to parse, and is shown as it is. */
  tokensOf(text: string): readonly Token[] | null {
    const known = this.#parsed.get(text);
    const tokens = known === undefined ? parse(text, this.#now) : known;
    // The text that was used last is the last one in the map. The first one is dropped.
    this.#parsed.delete(text);
    this.#parsed.set(text, tokens);
    const [oldest] = this.#parsed.keys();
    if (this.#parsed.size > MAX_TEXTS && oldest !== undefined) this.#parsed.delete(oldest);
    return tokens;
  }
}

function parse(text: string, now: () => number): readonly Token[] | null {
  if (text.length > MAX_LENGTH || TOO_DEEP.test(text)) return null;
  try {
    return Lexer.lex(text, { gfm: true, breaks: true, tokenizer: new BoundedTokenizer(now) });
  } catch {
    // Too much work, or too deep for the stack.
    return null;
  }
}

const ParsedTextsContext = createContext<ParsedTexts | undefined>(undefined);

export const ParsedTextsProvider = ParsedTextsContext.Provider;

export function useParsedTexts(): ParsedTexts {
  const texts = useContext(ParsedTextsContext);
  if (!texts) throw new Error('useParsedTexts must be called inside a ParsedTextsProvider');
  return texts;
}
