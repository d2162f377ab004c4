import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export class SeededRandom {
  readonly #generator;

  constructor(seed: number) {
    this.#generator = xoroshiro128plus(seed);
  }

  between(from: number, to: number): number {
    return from + uniformFloat64(this.#generator) * (to - from);
  }

  choose<T>(choices: readonly T[]): T {
    const chosen = choices[Math.floor(this.between(0, choices.length))];
    if (chosen === undefined) throw new RangeError('nothing to choose from');
    return chosen;
  }
}
