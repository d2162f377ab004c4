/** Spreads a hash over the slots of a table: 2³² divided by the golden ratio. */
const SPREAD = 0x9e3779b1;

/**
 * A table of pairs of 32-bit numbers. A pair takes 11 to 22 bytes, a fifth of what a set of texts needs. No second number is
 * 0.
 */
export class HashPairs {
  #bits = 4;
  #size = 0;
  #pairs = new Int32Array(2 << this.#bits);

  get size(): number {
    return this.#size;
  }

  has(first: number, second: number): boolean {
    return this.#at(this.#slotOf(first, second)) !== 0;
  }

  add(first: number, second: number): void {
    this.#store(this.#slotOf(first, second), first, second);
  }

  /** Returns the second number of the pair with this first number, or 0. Only for a table whose first numbers are unique. */
  secondOf(first: number): number {
    const pairs = this.#pairs;
    let slot = this.#homeOf(first);
    for (;;) {
      const second = pairs[slot + 1] ?? 0;
      if (second === 0 || pairs[slot] === first) return second;
      slot = slot + 2 === pairs.length ? 0 : slot + 2;
    }
  }

  addBits(first: number, bits: number): void {
    const slot = this.#slotOf(first);
    this.#store(slot, first, this.#at(slot) | bits);
  }

  #homeOf(first: number): number {
    return (Math.imul(first, SPREAD) >>> (32 - this.#bits)) * 2;
  }

  #at(slot: number): number {
    return this.#pairs[slot + 1] ?? 0;
  }

  #slotOf(first: number, second?: number): number {
    const pairs = this.#pairs;
    let slot = this.#homeOf(first);
    for (;;) {
      const found = pairs[slot + 1] ?? 0;
      if (found === 0) return slot;
      if (pairs[slot] === first && (second === undefined || found === second)) return slot;
      slot = slot + 2 === pairs.length ? 0 : slot + 2;
    }
  }

  #store(slot: number, first: number, second: number): void {
    if (this.#at(slot) === 0) this.#size += 1;
    this.#pairs[slot] = first;
    this.#pairs[slot + 1] = second;
    if (this.#size * 8 > this.#pairs.length * 3) this.#grow();
  }

  #grow(): void {
    const former = this.#pairs;
    this.#bits += 1;
    this.#pairs = new Int32Array(2 << this.#bits);
    for (let slot = 0; slot < former.length; slot += 2) {
      const [first = 0, second = 0] = [former[slot], former[slot + 1]];
      if (second === 0) continue;
      const next = this.#slotOf(first, second);
      this.#pairs[next] = first;
      this.#pairs[next + 1] = second;
    }
  }
}
