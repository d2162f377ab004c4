import { MARK_END, MARK_START } from '@session/db';

/** The most UTF-16 code units of a snippet, and of its part before the first found word. */
const SNIPPET_LENGTH = 240;
const BEFORE = 60;
/** A text may contain a word thousands of times. Only the first ranges are considered for the best place. */
const MOST_RANGES = 200;

const MARKS = new RegExp(`[${MARK_START}${MARK_END}]`, 'gu');

type Range = readonly [start: number, length: number];

export interface Snippet {
  readonly snippet: string;
  readonly highlights: Range[];
}

/**
 * Returns the part of `content` with the most found words. `marked` is the beginning of `content` in lower case and as
 * NFC, with these words marked.
 */
export function snippetOf(content: string, marked: string): Snippet {
  const text = content.normalize().replace(MARKS, '');
  const ranges = rangesOf(text, marked);
  const first = bestOf(text, ranges);
  const start = startBefore(text, first);
  const end = endBehind(text, start, first);
  const [before, after] = [start > 0 ? '…' : '', end < text.length ? '…' : ''];
  const shift = before.length - start;
  const highlights = ranges
    .filter(([from]) => from >= start && from < end)
    .map(([from, length]): Range => [from + shift, Math.min(length, end - from)]);
  return { snippet: `${before}${text.slice(start, end)}${after}`, highlights };
}

function rangesOf(text: string, marked: string): Range[] {
  const ranges: Range[] = [];
  let [offset, from] = [0, 0];
  for (const character of marked) {
    if (character === MARK_START) from = offset;
    else if (character === MARK_END) ranges.push([from, offset - from]);
    else offset += isPair(text, offset) ? 2 : 1;
    if (ranges.length === MOST_RANGES) break;
  }
  return ranges;
}

function bestOf(text: string, ranges: readonly Range[]): Range {
  let best: Range = [0, 0];
  let [most, shortest] = [0, 0];
  for (const [index, range] of ranges.entries()) {
    const words = new Set<string>();
    let span = 0;
    for (const [from, length] of ranges.slice(index)) {
      if (from + length > range[0] + SNIPPET_LENGTH - BEFORE) break;
      const { size } = words;
      words.add(text.slice(from, from + length).toLowerCase());
      if (words.size > size) span = from - range[0];
    }
    const isBetter = words.size > most || (words.size === most && span < shortest);
    if (isBetter || index === 0) [best, most, shortest] = [range, words.size, span];
  }
  return best;
}

function startBefore(text: string, [first]: Range): number {
  const earliest = first - BEFORE;
  if (earliest <= 0) return 0;
  const space = text.slice(earliest, first).search(/\s/u);
  if (space >= 0) return earliest + space + 1;
  return isPair(text, earliest - 1) ? earliest + 1 : earliest;
}

function endBehind(text: string, start: number, [first, length]: Range): number {
  const latest = start + SNIPPET_LENGTH;
  if (latest >= text.length) return text.length;
  const found = Math.min(first + length, latest);
  const space = text.slice(found, latest).search(/\s\S*$/u);
  if (space >= 0) return found + space;
  return isPair(text, latest - 1) ? latest - 1 : latest;
}

function isPair(text: string, offset: number): boolean {
  return (text.codePointAt(offset) ?? 0) > 0xff_ff;
}
