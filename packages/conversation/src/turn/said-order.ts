/** Texts within this time of the first one were asked together, because agents collect texts for 300 ms. */
const TOGETHER_MS = 350;

interface SaidLine {
  readonly role: 'user' | 'assistant';
  readonly at: string;
  readonly interrupted: boolean;
}

/**
 * Returns the lines in the order in which they were said. The history dates an answer by its end, so texts that interrupted
 * an answer precede it there.
 */
export function saidOrder<Line extends SaidLine>(lines: readonly Line[]): Line[] {
  const ordered: Line[] = [];
  for (const line of lines) {
    const asked = ordered.slice(ordered.findLastIndex(({ role }) => role === 'assistant') + 1);
    const [first] = asked;
    const isCut = line.role === 'assistant' && line.interrupted;
    const later = isCut ? asked.filter(({ at }) => first && isLater(at, first.at)) : [];
    ordered.splice(ordered.length - later.length, 0, line);
  }
  return ordered;
}

function isLater(at: string, first: string): boolean {
  return Date.parse(at) - Date.parse(first) > TOGETHER_MS;
}
