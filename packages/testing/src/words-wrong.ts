const NUMBERS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');

/**
 * Returns how many words of `said` are wrong in `heard`: replaced, missing or added. Case, punctuation and the spelling of
 * small numbers do not count.
 */
export function wordsWrong(said: string, heard: string): { wrong: number; words: number } {
  const [expected, received] = [wordsOf(said), wordsOf(heard)];
  // The edit distance, one row of the table at a time.
  let row = Array.from({ length: received.length + 1 }, (_, index) => index);
  for (const [index, word] of expected.entries()) {
    const next = [index + 1];
    for (const [column, other] of received.entries()) {
      const replaced = (row[column] ?? 0) + (word === other ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return { wrong: row.at(-1) ?? 0, words: expected.length };
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9']+/g) ?? [];
  return words.map((word) => NUMBERS[Number(word)] ?? word);
}
