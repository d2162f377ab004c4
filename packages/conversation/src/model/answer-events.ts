import type { IncomingMessage } from 'node:http';
import { createParser } from 'eventsource-parser';
import { type Delta, readChunk } from './completion-chunk.ts';
import { codeOf } from './http-exchange.ts';
import { ModelFailure } from './model-failure.ts';
import type { SilenceTimer } from './silence-timer.ts';

const DONE = '[DONE]';

/** A token takes about 250 bytes of a stream; some endpoints send more. */
const WIRE_BYTES_PER_TOKEN = 2048;
const LEAST_WIRE_BYTES = 1_048_576;

const MAX_EVENT_LENGTH = 1_048_576;

export function wireLimit(maxOutputTokens: number): number {
  return Math.max(LEAST_WIRE_BYTES, maxOutputTokens * WIRE_BYTES_PER_TOKEN);
}

/**
 * Yields the chunks of an answer, from server-sent events or from a whole JSON body. Throws a ModelFailure when the response
 * is neither, is larger than `maxBytes`, or breaks off.
 */
export async function* answerEvents(
  response: IncomingMessage,
  timer: SilenceTimer,
  maxBytes: number,
): AsyncGenerator<Delta> {
  const isWhole = /^application\/json\b/i.test(response.headers['content-type'] ?? '');
  const texts = decodedTexts(response, timer, maxBytes);
  if (isWhole) {
    let body = '';
    for await (const text of texts) body += text;
    const whole = readChunk(body);
    yield { ...whole, finishReason: whole.finishReason ?? 'stop' };
    return;
  }
  const waiting: string[] = [];
  const parser = createParser({
    onEvent: ({ data }) => waiting.push(data),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') throw tooLarge();
    },
    maxBufferSize: MAX_EVENT_LENGTH,
  });
  let hasEnded = false;
  for await (const text of texts) {
    parser.feed(text);
    for (const data of waiting.splice(0)) {
      if (data === DONE) return;
      const delta = readChunk(data);
      hasEnded ||= delta.finishReason !== undefined;
      yield delta;
    }
  }
  // Some endpoints send neither [DONE] nor a last empty line, but still report a finish reason.
  if (!hasEnded) throw new ModelFailure('unreachable', 'the stream ended before the answer did');
}

async function* decodedTexts(
  response: IncomingMessage,
  timer: SilenceTimer,
  maxBytes: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const chunks: AsyncIterator<Buffer> = response[Symbol.asyncIterator]();
  let sizeBytes = 0;
  for (;;) {
    const { done, value } = await timer.wait(nextChunk(chunks));
    if (done) return;
    sizeBytes += value.length;
    if (sizeBytes > maxBytes) throw tooLarge();
    yield decoder.decode(value, { stream: true });
  }
}

async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
  try {
    return await chunks.next();
  } catch (error) {
    throw new ModelFailure('unreachable', `the connection broke (${codeOf(error)})`);
  }
}

function tooLarge(): ModelFailure {
  return new ModelFailure('faulty', 'the answer is too large');
}
