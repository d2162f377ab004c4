import { StringDecoder } from 'node:string_decoder';

/**
 * Yields the complete lines of a stream, whose chunks may end anywhere. Drops the text after the last line end, because
 * it is a line that was cut off.
 */
export async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
