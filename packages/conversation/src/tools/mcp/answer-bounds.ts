const MAX_RESULT_BYTES = 1_048_576;
/** For answers other than results of calls: a list of 1 MiB would block the process for half a second. */
const MAX_READ_BYTES = 262_144;
const MAX_LINE_ENDS = 200;
/** Brackets that are open at once, including those in strings. */
const MAX_DEPTH = 50_000;
/** The client and this process need some microseconds for each field. */
const MAX_FIELDS = 15_000;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** White space and the byte order mark of UTF-8, which are skipped before JSON. */
const SKIPPED: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf]);
const OPENING_BRACKET = 0x5b;
const LINE_ENDS: ReadonlySet<number> = new Set([0x0a, 0x0d]);
/** What each byte adds to the depth: `[`, `{`, `]` and `}`. */
const DEPTHS: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x7b, 1],
  [0x5d, -1],
  [0x7d, -1],
]);

export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Limits the answer of an MCP server: the client would need seconds for tens of thousands of messages, levels or fields. */
export class AnswerBounds {
  readonly #isStream: boolean;
  readonly #maxBytes: number;
  #sizeBytes = 0;
  #lineEnds = 0;
  #depth = 0;
  #fields = 0;
  #isInString = false;
  #isEscaped = false;
  #first: number | undefined;

  /** @param asked the method of the message that is answered */
  constructor(contentType = '', asked?: string) {
    this.#isStream = /^\s*text\/event-stream\b/i.test(contentType);
    this.#maxBytes = asked === 'tools/call' ? MAX_RESULT_BYTES : MAX_READ_BYTES;
  }

  /** Throws a TooLarge when the client should not receive `bytes`, the next part of the answer. */
  check(bytes: Uint8Array): void {
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > this.#maxBytes) throw new TooLarge('too many bytes');
    this.#first ??= bytes.find((byte) => !SKIPPED.has(byte));
    // A list of messages: the protocol has had none since 2025-06-18.
    if (this.#first === OPENING_BRACKET) throw new TooLarge('a list of messages');
    for (const byte of bytes) {
      if (LINE_ENDS.has(byte)) this.#lineEnds += 1;
      this.#depth += DEPTHS.get(byte) ?? 0;
      if (this.#depth > MAX_DEPTH) throw new TooLarge('too many levels');
      if (this.#beginsValue(byte)) this.#fields += 1;
      if (this.#fields > MAX_FIELDS) throw new TooLarge('too many fields');
    }
    if (this.#isStream && this.#lineEnds > MAX_LINE_ENDS) throw new TooLarge('too many messages');
  }

  #beginsValue(byte: number): boolean {
    if (LINE_ENDS.has(byte)) this.#isInString = false;
    else if (byte === QUOTE && !this.#isEscaped) this.#isInString = !this.#isInString;
    this.#isEscaped = byte === BACKSLASH && this.#isInString && !this.#isEscaped;
    return byte === COLON && !this.#isInString;
  }
}
