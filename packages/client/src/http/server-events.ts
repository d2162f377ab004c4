export interface ServerEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

/**
 * Yields events as defined in https://html.spec.whatwg.org/multipage/server-sent-events.html, including those with only a
 * `retry` field. For each piece, yields the events that it completes, perhaps none.
 */
export async function* serverEvents(
  pieces: AsyncIterable<string>,
): AsyncGenerator<readonly ServerEvent[], void> {
  let id: string | undefined;
  let fields: Partial<Record<string, string>> = {};
  let rest = '';
  const take = (line: string): ServerEvent[] => {
    if (line !== '') {
      // A line that begins with a colon is a comment. Here it is a field without a name.
      const [name = '', value = ''] = line.split(/: ?(.*)/s);
      const before = name === 'data' ? fields[name] : undefined;
      fields[name] = before === undefined ? value : `${before}\n${value}`;
      return [];
    }
    const { event, data, retry } = fields;
    id = fields['id'] ?? id;
    fields = {};
    const retryMs = Number(retry) || undefined;
    if ((data ?? retryMs) === undefined) return [];
    return [{ name: event || 'message', data: data ?? '', id, retryMs }];
  };
  for await (const piece of pieces) {
    rest += piece;
    // A CR at the end may be the first half of a CRLF.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield lines.flatMap(take);
  }
  if (rest.endsWith('\r')) yield take(rest.slice(0, -1));
}
