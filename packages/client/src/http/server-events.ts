export interface ServerEvent {
  readonly name: string;
  readonly data: string;
  /** The id of this event, or else of the last event that had one. */
  readonly id: string | undefined;
  readonly retryMs: number | undefined;
}

/** Yields the events of https://html.spec.whatwg.org/multipage/server-sent-events.html, even one with only a `retry` field. */
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
