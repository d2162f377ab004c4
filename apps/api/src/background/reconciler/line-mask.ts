import type { LogLine } from '@session/agents';
import { MAX_PIECE_LENGTH, type Mask, maskSpans, type Span } from '@session/kit/mask';

/**
 * How many lines may wait for the rest of a line or a value. When more wait, all of them are passed on, and only complete
 * secrets in them are masked.
 */
const MAX_WAITING = 1000;

interface WaitingLine {
  readonly at: number;
  readonly text: string;
  masked?: string;
}

/**
 * Masks one agent's output as a stream, so that a secret is found wherever its lines are cut. A line waits while a
 * secret may continue in the next line of the same stream: after a line that was cut for its length, or after the
 * beginning of a value with several lines.
 */
export class LineMask {
  readonly #mask: Mask;
  readonly #streams = new Map<LogLine['stream'], StreamMask>();
  #waiting: WaitingLine[] = [];

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  push(lines: readonly LogLine[]): LogLine[] {
    for (const { at, line, stream, isCut = false } of lines) {
      const waiting: WaitingLine = { at, text: line };
      this.#waiting.push(waiting);
      this.#streamOf(stream).push(waiting, isCut);
    }
    if (this.#waiting.length > MAX_WAITING) this.#settleAll();
    return this.#settled();
  }

  end(): LogLine[] {
    this.#settleAll();
    return this.#settled();
  }

  #streamOf(name: LogLine['stream']): StreamMask {
    const found = this.#streams.get(name) ?? new StreamMask(this.#mask);
    this.#streams.set(name, found);
    return found;
  }

  #settleAll(): void {
    for (const stream of this.#streams.values()) stream.settle(true);
  }

  #settled(): LogLine[] {
    const open = this.#waiting.findIndex(({ masked }) => masked === undefined);
    const settled = this.#waiting.splice(0, open === -1 ? this.#waiting.length : open);
    return settled.map(({ at, masked = '' }) => ({ at, line: masked }));
  }
}

class StreamMask {
  readonly #mask: Mask;
  #lines: { readonly line: WaitingLine; readonly start: number; readonly end: number }[] = [];
  #text = '';
  /** How many characters at the beginning of `#text` belong to a secret that began before `#text`. */
  #coveredLength = 0;

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  push(line: WaitingLine, isCut: boolean): void {
    const start = this.#text.length;
    this.#text += line.text;
    this.#lines.push({ line, start, end: this.#text.length });
    if (!isCut) this.#text += '\n';
    this.settle(!isCut && !this.#mask.endsWithin(this.#text));
  }

  /** Masks the lines that later text cannot change; with `isEnd`, all lines. */
  settle(isEnd: boolean): void {
    const isSettled = ({ end }: { end: number }) =>
      isEnd || this.#text.length - end >= MAX_PIECE_LENGTH - 1;
    const settled = this.#lines.filter(isSettled);
    const last = settled.at(-1);
    if (!last) return;
    const spans = this.#spans();
    for (const { line, start, end } of settled) {
      line.masked = maskSpans(this.#text, spans, start, end);
    }
    this.#lines = this.#lines.slice(settled.length);
    const nextStart = this.#lines[0]?.start ?? this.#text.length;
    const reaching = spans.find(({ start, end }) => start < nextStart && end > nextStart);
    this.#coveredLength = reaching && !isEnd ? reaching.end - nextStart : 0;
    this.#text = isEnd ? '' : this.#text.slice(nextStart);
    this.#lines = this.#lines.map(({ line, start, end }) => ({
      line,
      start: start - nextStart,
      end: end - nextStart,
    }));
  }

  #spans(): Span[] {
    const spans = this.#mask.spansIn(this.#text);
    const covered = this.#coveredLength;
    if (covered === 0) return spans;
    // A secret that overlaps the rest of the earlier secret is merged with it.
    const end = Math.max(
      covered,
      ...spans.filter(({ start }) => start <= covered).map((span) => span.end),
    );
    return [{ start: 0, end }, ...spans.filter(({ start }) => start > covered)];
  }
}
