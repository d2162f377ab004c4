import type { Pcm } from './pcm.ts';

/** Returns the sound as the bytes of a WAV file. */
export function toWav({ samples, rate }: Pcm): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.byteLength, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.byteLength, 40);
  return Buffer.concat([header, toBytes({ samples, rate })]);
}

/** Returns the samples as bytes, little-endian: the `pcm` format of OpenAI. */
export function toBytes({ samples }: Pcm): Buffer {
  const bytes = Buffer.alloc(samples.byteLength);
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, index * 2);
  return bytes;
}

/**
 * Returns the sound of a WAV file: 16 bits, one channel, any rate. Skips chunks other than `fmt ` and `data`. If a streaming
 * writer left the length of the data open, the data end with the file. Throws an Error for anything else.
 */
export function fromWav(file: Uint8Array): Pcm {
  const bytes = Buffer.from(file);
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, 12) !== 'WAVE') {
    throw new Error('not a WAV file');
  }
  let rate = 0;
  let offset = 12;
  while (offset + 8 <= bytes.length) {
    const name = bytes.toString('latin1', offset, offset + 4);
    const start = offset + 8;
    const size = Math.min(bytes.readUInt32LE(offset + 4), bytes.length - start);
    if (name === 'fmt ') {
      const [format, channels, bits] = [0, 2, 14].map((field) => bytes.readUInt16LE(start + field));
      if (format !== 1 || channels !== 1 || bits !== 16)
        throw new Error('not 16 bits in one channel');
      rate = bytes.readUInt32LE(start + 4);
    }
    if (name === 'data') {
      const samples = new Int16Array(Math.floor(size / 2));
      for (const index of samples.keys()) samples[index] = bytes.readInt16LE(start + index * 2);
      return { samples, rate };
    }
    offset = start + size + (size % 2);
  }
  throw new Error('a WAV file without sound');
}
