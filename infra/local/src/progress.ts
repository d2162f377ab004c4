/** Tells the person at the terminal what happens. */
export interface Progress {
  /** Tells something in one line, or a few. */
  say(this: void, line: string): void;
  /**
   * Does `work`, and gives or throws what it does. When that takes longer than a moment it says so, under the name
   * `what` and with the last `note` of the work.
   */
  during<T>(this: void, what: string, work: (note: Note) => Promise<T>): Promise<T>;
}

export type Note = (detail: string) => void;

const MOMENT_MS = 1000;
const LINE_EVERY_MS = 15_000;

/** Gives a progress in plain lines, by `write`: for logs and for terminals that can do no more. */
export function plainProgress(write: (text: string) => void): Progress {
  const say = (line: string) => write(`${line}\n`);
  return {
    say,
    async during(what, work) {
      const began = performance.now();
      const seconds = () => `${((performance.now() - began) / 1000).toFixed(0)} s`;
      let detail = '';
      const announcement = setTimeout(() => say(`${what} …`), MOMENT_MS);
      const reminder = setInterval(() => say(`${what} … ${seconds()}${detail}`), LINE_EVERY_MS);
      try {
        return await work((note) => {
          detail = `, ${note}`;
        });
      } finally {
        clearTimeout(announcement);
        clearInterval(reminder);
        if (performance.now() - began > MOMENT_MS) say(`${what}: ended after ${seconds()}`);
      }
    },
  };
}
