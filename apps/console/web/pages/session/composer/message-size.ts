/** The limits of `POST …/messages`. */
const MAX_BYTES = 32_000;
const MAX_JSON_BYTES = 62_000;
const encoder = new TextEncoder();
const number = new Intl.NumberFormat('en-GB');

export function sizeProblem(text: string): string | undefined {
  // A UTF-16 unit has at most three bytes in UTF-8, and six in JSON. So most texts need no counting.
  if (text.length * 3 <= MAX_BYTES && text.length * 6 <= MAX_JSON_BYTES) return undefined;
  const excess = encoder.encode(text).length - MAX_BYTES;
  if (excess > 0) return tooLong(excess);
  if (encoder.encode(JSON.stringify(text)).length <= MAX_JSON_BYTES) return undefined;
  return 'This message has too many special characters to be sent as one. Send it in parts.';
}

function tooLong(excess: number): string {
  const bytes = excess === 1 ? '1 byte' : `${number.format(excess)} bytes`;
  return `This message is ${bytes} too long. Send it in parts of at most ${number.format(MAX_BYTES)} bytes.`;
}
