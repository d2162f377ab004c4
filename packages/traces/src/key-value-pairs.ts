/** Returns the pairs of `name=value,other=value`, whose values are percent-encoded; undefined for any other text. */
export function readPairs(text: string): Readonly<Record<string, string>> | undefined {
  const pairs = text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map(readPair);
  const valid = pairs.filter((pair) => pair !== undefined);
  return valid.length === pairs.length ? Object.fromEntries(valid) : undefined;
}

function readPair(text: string): readonly [name: string, value: string] | undefined {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name.trim() === '') return undefined;
  try {
    return [name.trim(), decodeURIComponent(value.trim())];
  } catch {
    return undefined;
  }
}
