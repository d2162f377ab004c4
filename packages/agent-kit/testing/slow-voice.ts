import type { Voice } from '../src/conversation/output/room-output.ts';

/** Hands over as many words of each text as a test lets people hear. */
export class SlowVoice implements Voice {
  #words: string[] = [];
  #heard: (words: string) => Promise<void> = async () => {};
  #end = Promise.withResolvers<void>();

  begin(heard: (words: string) => Promise<void>) {
    this.#heard = heard;
    this.#words = [];
    this.#end = Promise.withResolvers();
    let isStopped = false;
    return {
      write: async (text: string) => {
        if (!isStopped) this.#words.push(...(text.match(/\S+\s*/g) ?? []));
      },
      end: () => (this.#words.length === 0 ? Promise.resolve() : this.#end.promise),
      stop: async () => {
        isStopped = true;
        this.#words = [];
        this.#end.resolve();
      },
    };
  }

  get waiting(): number {
    return this.#words.length;
  }

  async speak(count: number): Promise<void> {
    for (const word of this.#words.splice(0, count)) await this.#heard(word);
    if (this.#words.length === 0) this.#end.resolve();
  }
}
