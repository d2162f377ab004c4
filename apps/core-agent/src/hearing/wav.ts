const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

export function wavOf(samples: Int16Array, rate: number): Uint8Array<ArrayBuffer> {
  const size = samples.length * BYTES_PER_SAMPLE;
  const file = Buffer.alloc(HEADER_BYTES + size);
  file.write('RIFF', 0);
  file.writeUInt32LE(HEADER_BYTES - 8 + size, 4);
  file.write('WAVEfmt ', 8);
  file.writeUInt32LE(16, 16);
  // Uncompressed, one channel.
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(rate * BYTES_PER_SAMPLE, 28);
  file.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  file.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  file.write('data', 36);
  file.writeUInt32LE(size, 40);
  for (const [index, sample] of samples.entries()) {
    file.writeInt16LE(sample, HEADER_BYTES + index * BYTES_PER_SAMPLE);
  }
  return file;
}
