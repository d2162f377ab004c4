import ora, { type Ora } from 'ora';

/** Tells the person at the terminal what happens. */
export interface Progress {
  /** Tells something in one line, or a few. */
  say(this: void, line: string): void;
  /**
   * Does `work`, and gives or throws what it does. Shows that it goes on when that takes longer than a moment, under the
   * name `what` and with the last `note` of the work.
   */
  during<T>(this: void, what: string, work: (note: Note) => Promise<T>): Promise<T>;
}

export type Note = (detail: string) => void;
type Write = (text: string) => void;

interface Work {
  readonly what: string;
  readonly began: number;
  detail: string;
}

const MOMENT_MS = 1000;
const LINE_EVERY_MS = 15_000;

/** Gives the progress that suits `stream`: a spinner in a terminal that can show one, else plain lines. */
export function openProgress(stream: NodeJS.WriteStream): Progress {
  const works = new Set<Work>();
  const suffixText = () => Array.from(works, describe).join(' · ');
  const spinner = ora({ stream, suffixText, discardStdin: false, hideCursor: false });
  const write = (text: string) => stream.write(text);
  // A terminal that does not know its width, as in some containers: ora would clear lines for ever.
  const canSpin = spinner.isEnabled && stream.columns > 0;
  return canSpin ? spinnerProgress(works, spinner, write) : plainProgress(write);
}

/** Gives a progress in plain lines, by `write`: one after a moment, then one every 15 s. */
export function plainProgress(write: Write): Progress {
  const say = (line: string) => write(`${line}\n`);
  return {
    say,
    async during(what, run) {
      const work: Work = { what, began: performance.now(), detail: '' };
      const announcement = setTimeout(() => say(`${what} …`), MOMENT_MS);
      const reminder = setInterval(() => say(describe(work)), LINE_EVERY_MS);
      try {
        return await run((detail) => {
          work.detail = detail;
        });
      } finally {
        clearTimeout(announcement);
        clearInterval(reminder);
      }
    },
  };
}

/** One line that shows all works under way, and stays below what is said. */
function spinnerProgress(works: Set<Work>, spinner: Ora, write: Write): Progress {
  return {
    // The spinner makes way for every write to its stream.
    say: (line) => write(`${line}\n`),
    async during(what, run) {
      const work: Work = { what, began: performance.now(), detail: '' };
      works.add(work);
      spinner.start();
      try {
        return await run((detail) => {
          work.detail = detail;
        });
      } finally {
        works.delete(work);
        if (works.size === 0) spinner.stop();
      }
    },
  };
}

function describe(work: Work): string {
  const details = [`${(elapsed(work) / 1000).toFixed(0)} s`, work.detail].filter(Boolean);
  return `${work.what} … ${details.join(', ')}`;
}

function elapsed({ began }: Work): number {
  return performance.now() - began;
}
