/**
 * Returns the pairs of a text such as `name=value,other=value`, in which values may be encoded as in URLs; undefined when it
 * is no such text. OpenTelemetry's variables for headers and for attributes have this form.
 */
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
