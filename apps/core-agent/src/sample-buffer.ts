export class SampleBuffer {
  #samples = new Int16Array(16_384);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(samples: Int16Array): void {
    const length = this.#length + samples.length;
    if (length > this.#samples.length) {
      const larger = new Int16Array(2 * length);
      larger.set(this.#samples.subarray(0, this.#length));
      this.#samples = larger;
    }
    this.#samples.set(samples, this.#length);
    this.#length = length;
  }

  slice(start: number, end = this.#length): Int16Array<ArrayBuffer> {
    return this.#samples.slice(Math.max(0, start), Math.min(end, this.#length));
  }

  keepLast(count: number): void {
    if (this.#length <= count) return;
    this.#samples.copyWithin(0, this.#length - count, this.#length);
    this.#length = count;
  }
}
