/** An event of a stream of server-sent events. */
export interface ServerEvent {
  readonly name: string;
  readonly data: string;
  /** The id of this event, or of the last one before it that had one. */
  readonly id: string | undefined;
  /** How many milliseconds to wait before coming again after a break, where the server says so. */
  readonly retryMs: number | undefined;
}

/**
 * Yields the events in the pieces of a stream, as https://html.spec.whatwg.org/multipage/server-sent-events.html reads them.
 * Other than there, an event that says only when to come again is yielded too, without data. An event without its blank line at the end is dropped.
 */
export async function* serverEvents(
  pieces: AsyncIterable<string>,
): AsyncGenerator<ServerEvent, void> {
  let id: string | undefined;
  let fields = new Map<string, string>();
  for await (const line of linesOf(pieces)) {
    if (line !== '') {
      readField(line, fields);
      continue;
    }
    id = fields.get('id') ?? id;
    const [name = '', data, retry] = ['event', 'data', 'retry'].map((key) => fields.get(key));
    const retryMs = retry !== undefined && /^\d+$/.test(retry) ? Number(retry) : undefined;
    if (data !== undefined || retryMs !== undefined) {
      yield { name: name || 'message', data: data ?? '', id, retryMs };
    }
    fields = new Map();
  }
}

function readField(line: string, fields: Map<string, string>): void {
  const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  // A line that begins with a colon is a comment.
  if (name === '') return;
  const before = name === 'data' ? fields.get(name) : undefined;
  fields.set(name, before === undefined ? value : `${before}\n${value}`);
}

/** Lines end with CR, LF or both. */
async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string, void> {
  let rest = '';
  for await (const piece of pieces) {
    rest += piece;
    // A CR at the end may be the first half of an end of line.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest.endsWith('\r')) yield rest.slice(0, -1);
}
