/** Shorter values would occur in ordinary words, as would shorter pieces of Base64. */
export const MIN_LENGTH = 4;
const MIN_BASE64_LENGTH = 6;
const PLAIN = /^[\w.-]*$/;

/**
 * Yields every text that reveals one of `values`: the value and its lines, in JSON (also twice), in URLs and forms, and the
 * whole value in Base64, wherever it begins. Yields nothing shorter than four characters.
 */
export function* maskedForms(values: readonly string[]): Generator<string> {
  for (const value of values) {
    const text = value.replaceAll('\r\n', '\n');
    const lines = text.includes('\n') ? text.split('\n') : [];
    for (const part of new Set([text, value, ...lines])) {
      for (const form of textForms(part)) if (form.length >= MIN_LENGTH) yield form;
    }
    yield* base64Forms(value);
  }
}

function* textForms(part: string): Generator<string> {
  yield part;
  if (PLAIN.test(part)) return;
  const json = inJson(part);
  for (const quoted of new Set([json, asciiOnly(json), json.replaceAll('/', '\\/')])) {
    yield quoted;
    yield inJson(quoted);
  }
  for (const form of urlForms(part.toWellFormed())) {
    yield form;
    yield form.replace(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase());
  }
}

/** Programs differ in which characters they do not escape. */
function* urlForms(part: string): Generator<string> {
  const url = encodeURIComponent(part);
  const strict = url.replace(/[!'()*]/g, percent);
  const spaced = strict.replaceAll('%20', '+');
  yield* new Set([
    url,
    encodeURI(part),
    strict,
    // Python leaves the slash in a path.
    strict.replaceAll('%2F', '/'),
    spaced,
    // A browser's form, and `URLSearchParams`.
    spaced.replaceAll('%2A', '*').replaceAll('~', '%7E'),
  ]);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Escapes every character that is not ASCII, as some languages do, such as Python. */
function asciiOnly(text: string): string {
  return text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Yields the forms of a value within a longer text, in both alphabets. Base64 encodes three bytes in four characters,
 * so the form depends on where the value begins.
 */
function* base64Forms(value: string): Generator<string> {
  const bytes = Buffer.from(value);
  for (const offset of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const bits = (offset + bytes.length) * 8;
    // Only characters that encode nothing but bits of the value.
    const form = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6));
    if (form.length < MIN_BASE64_LENGTH) continue;
    yield form;
    yield form.replaceAll('+', '-').replaceAll('/', '_');
  }
}
