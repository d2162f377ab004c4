import ora, { type Ora } from 'ora';

export interface Progress {
  say(this: void, line: string): void;
  /** Runs `work`. After a second, shows that it is running, with its name `what` and its last `note`. */
  during<T>(this: void, what: string, work: (note: Note) => Promise<T>): Promise<T>;
}

export type Note = (detail: string) => void;
type Write = (text: string) => void;

interface Work {
  readonly what: string;
  readonly began: number;
  detail: string;
}

const SILENT_MS = 1000;
const LINE_EVERY_MS = 15_000;

/** Keeps this program running when the reader of its output is gone, because it must still stop its parts. */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** Returns the progress that suits `stream`: a spinner in a terminal that can show one, otherwise plain lines. */
export function openProgress(stream: NodeJS.WriteStream): Progress {
  const works = new Set<Work>();
  const suffixText = () => Array.from(works, describe).join(' · ');
  const spinner = ora({ stream, suffixText, discardStdin: false, hideCursor: false });
  const write = (text: string) => stream.write(text);
  // Without a width, as in some containers, ora would clear lines for ever.
  const canSpin = spinner.isEnabled && stream.columns > 0;
  return canSpin ? spinnerProgress(works, spinner, write) : plainProgress(write);
}

/** Returns a progress that writes a plain line after a second, then one every 15 s. */
export function plainProgress(write: Write): Progress {
  const say = (line: string) => write(`${line}\n`);
  return {
    say,
    async during(what, run) {
      const work: Work = { what, began: performance.now(), detail: '' };
      const announcement = setTimeout(() => say(`${what} …`), SILENT_MS);
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
