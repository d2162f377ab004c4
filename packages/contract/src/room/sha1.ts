const BLOCK_BYTES = 64;
const HASH_BYTES = 20;
const ROUNDS = 80;
/** One constant for each 20 rounds: https://doi.org/10.6028/NIST.FIPS.180-4 */
const CONSTANTS = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];

/**
 * Returns the SHA-1 hash of a message of up to 512 MiB: 20 bytes. The platform's own `crypto.subtle` is missing in pages without
 * TLS, and answers later. The hash makes ids, and protects nothing.
 */
export function sha1(message: Uint8Array): DataView {
  const hash = new DataView(new ArrayBuffer(HASH_BYTES));
  [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0].forEach((word, index) => {
    hash.setUint32(4 * index, word);
  });
  const blocks = paddedBlocks(message);
  for (let at = 0; at < blocks.byteLength; at += BLOCK_BYTES) {
    addBlock(hash, new DataView(blocks, at, BLOCK_BYTES));
  }
  return hash;
}

/** Appends a bit, zeros to the end of a block, and the message's length in bits. */
function paddedBlocks(message: Uint8Array): ArrayBuffer {
  const count = Math.ceil((message.length + 9) / BLOCK_BYTES);
  const bytes = new Uint8Array(count * BLOCK_BYTES);
  bytes.set(message);
  bytes[message.length] = 0x80;
  new DataView(bytes.buffer).setUint32(bytes.length - 4, message.length * 8);
  return bytes.buffer;
}

/** Adds a block to the hash, and overwrites the block. */
function addBlock(hash: DataView, block: DataView): void {
  const word = (index: number) => hash.getInt32(4 * index);
  let [a, b, c, d, e] = [word(0), word(1), word(2), word(3), word(4)];
  // The last 16 words of the schedule: each new word takes the place of the oldest.
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
  [a, b, c, d, e].forEach((added, index) => {
    hash.setInt32(4 * index, word(index) + added);
  });
}

function mix(phase: number, b: number, c: number, d: number): number {
  if (phase === 0) return (b & c) ^ (~b & d);
  return phase === 2 ? (b & c) ^ (b & d) ^ (c & d) : b ^ c ^ d;
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
