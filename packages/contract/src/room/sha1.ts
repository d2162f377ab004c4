const BLOCK_BYTES = 64;
const HASH_BYTES = 20;
const ROUNDS = 80;
/** One constant for each 20 rounds: https://doi.org/10.6028/NIST.FIPS.180-4 */
const CONSTANTS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

type Words = readonly [number, number, number, number, number];

/**
 * Returns the SHA-1 hash (20 bytes) of a message of up to 512 MiB. Not by `crypto.subtle`, which pages without TLS do
 * not have. The hash protects nothing.
 */
export function sha1(message: Uint8Array): DataView {
  let words: Words = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const blocks = paddedBlocks(message);
  for (let at = 0; at < blocks.byteLength; at += BLOCK_BYTES) {
    words = addBlock(words, new DataView(blocks, at, BLOCK_BYTES));
  }
  const hash = new DataView(new ArrayBuffer(HASH_BYTES));
  for (const [index, word] of words.entries()) hash.setUint32(4 * index, word);
  return hash;
}

function paddedBlocks(message: Uint8Array): ArrayBuffer {
  const count = Math.ceil((message.length + 9) / BLOCK_BYTES);
  const bytes = new Uint8Array(count * BLOCK_BYTES);
  bytes.set(message);
  bytes[message.length] = 0x80;
  new DataView(bytes.buffer).setUint32(bytes.length - 4, message.length * 8);
  return bytes.buffer;
}

/** Returns the hash after another block. Overwrites the block. */
function addBlock(words: Words, block: DataView): Words {
  let [a, b, c, d, e] = words;
  // The last 16 words of the schedule. Each new word replaces the oldest.
  const scheduled = (round: number) => block.getInt32(4 * (round % 16));
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round >= 16) {
      const next = scheduled(round - 3) ^ scheduled(round - 8) ^ scheduled(round - 14);
      block.setInt32(4 * (round % 16), rotate(next ^ scheduled(round), 1));
    }
    const phase = Math.floor(round / 20);
    const constant = CONSTANTS[phase] ?? 0;
    const sum = rotate(a, 5) + mix(phase, b, c, d) + e + constant + scheduled(round);
    [a, b, c, d, e] = [sum | 0, a, rotate(b, 30), c, d];
  }
  const [v, w, x, y, z] = words;
  return [(v + a) | 0, (w + b) | 0, (x + c) | 0, (y + d) | 0, (z + e) | 0];
}

function mix(phase: number, b: number, c: number, d: number): number {
  if (phase === 0) return (b & c) ^ (~b & d);
  return phase === 2 ? (b & c) ^ (b & d) ^ (c & d) : b ^ c ^ d;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
