import { Tokenizer, type Tokens } from 'marked';

/**
 * How many characters `marked` may look at again. It searches the rest of a paragraph at each mark, so hostile text costs the
 * square of its length: 12,000 characters of `_*a` cost 48,000,000. An answer of 12,000 characters with marks in each line
 * costs 300,000.
 */
const MAX_WORK = 1_000_000;
/** Rows with fewer cells than their table has columns are filled up: 12,000 characters become up to 4,000,000 cells. */
const WORK_PER_CELL = 100;
/** Stops input that is slow although the count is low. */
const MAX_MS = 250;

const LIST_ITEM = /^ {0,3}(?:[-+*]|\d{1,9}[.)])/;
const QUOTE = /^ {0,3}>/;
const TABLE = /^[^\n]+\n {0,3}\|?[ \t]*:?-[-|: \t]*(?:\n|$)/;

class TooMuchWork extends Error {
  override readonly name = 'TooMuchWork';
}

export class BoundedTokenizer extends Tokenizer {
  #work = 0;
  readonly #now: () => number;
  readonly #startedAt: number;

  constructor(now: () => number) {
    super();
    this.#now = now;
    this.#startedAt = now();
  }

  override blockquote(source: string): Tokens.Blockquote | undefined {
    if (QUOTE.test(source)) this.#count(source.length);
    return super.blockquote(source);
  }

  override list(source: string): Tokens.List | undefined {
    if (LIST_ITEM.test(source)) this.#count(source.length);
    return super.list(source);
  }

  override table(source: string): Tokens.Table | undefined {
    if (TABLE.test(source)) {
      const [rows = ''] = source.split(/\n[ \t]*\n/, 1);
      const lines = rows.split('\n');
      const columns = lines[0]?.split('|').length ?? 1;
      this.#count(columns * lines.length * WORK_PER_CELL);
    }
    return super.table(source);
  }

  override link(source: string): Tokens.Link | Tokens.Image | undefined {
    if (/^!?\[/.test(source)) this.#count(source.length);
    return super.link(source);
  }

  override emStrong(
    source: string,
    ...rest: [masked: string, before?: string]
  ): Tokens.Em | Tokens.Strong | undefined {
    if (/^[*_]/.test(source)) this.#count(source.length);
    return super.emStrong(source, ...rest);
  }

  override del(source: string, ...rest: [masked: string, before?: string]): Tokens.Del | undefined {
    if (source.startsWith('~')) this.#count(source.length);
    return super.del(source, ...rest);
  }

  #count(work: number): void {
    this.#work += work;
    if (this.#work > MAX_WORK) throw new TooMuchWork('too many marks');
    if (this.#now() - this.#startedAt > MAX_MS) throw new TooMuchWork('too slow');
  }
}
