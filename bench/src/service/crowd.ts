import path from 'node:path';
import { aborted, StartError } from '@session/kit';
import { type HistoryCheck, sum } from '../chaos/check-history.ts';
import { MeasuredProgram } from '../measure/program.ts';
import type { CrowdEnd, CrowdJob } from './crowd-process.ts';
import { type CrowdReport, sumOfFailures } from './figures.ts';

const file = path.join(import.meta.dirname, 'crowd-process.ts');
/** Each process costs as much memory as 50 people. */
const PEOPLE_PER_PROCESS = 100;

interface JoinedSession {
  readonly id: string;
  readonly hasAgent: boolean;
}

export class Crowd implements AsyncDisposable {
  readonly #programs: readonly MeasuredProgram[];

  private constructor(programs: readonly MeasuredProgram[]) {
    this.#programs = programs;
  }

  static async start(
    size: number,
    { apiUrl, mediaUrl, token }: Readonly<Record<'apiUrl' | 'mediaUrl' | 'token', string>>,
  ): Promise<Crowd> {
    await using started = new AsyncDisposableStack();
    const programs: MeasuredProgram[] = [];
    const env = { API_URL: apiUrl, MEDIA_URL: mediaUrl, TOKEN: token };
    for (let count = 0; count < size; count += PEOPLE_PER_PROCESS) {
      programs.push(started.use(await MeasuredProgram.start(file, env)));
    }
    started.move();
    return new Crowd(programs);
  }

  /**
   * Joins the room of each session as one person, and calls `joined` after each join. Each process joins one room at a
   * time.
   */
  async join(
    sessions: readonly JoinedSession[],
    joined: () => void,
    stop: AbortSignal,
  ): Promise<void> {
    const waiting = sessions.entries();
    const joinAll = async (program: MeasuredProgram) => {
      for (const [index, { id: sessionId, hasAgent }] of waiting) {
        const turn = index / sessions.length;
        await program.ask<object>({ kind: 'join', sessionId, hasAgent, turn } satisfies CrowdJob);
        joined();
      }
    };
    const stopped = aborted(stop).then(() => {
      throw new StartError('Stopped.');
    });
    await Promise.race([Promise.all(this.#programs.map(joinAll)), stopped]);
  }

  async talk(everyMs: number): Promise<void> {
    await this.#ask<object>({ kind: 'talk', everyMs });
  }

  async report(): Promise<CrowdReport> {
    const reports = await this.#ask<CrowdReport>({ kind: 'report' });
    return {
      said: reports.reduce((total, { said }) => total + said, 0),
      readableMs: reports.flatMap(({ readableMs }) => readableMs),
      answeredMs: reports.flatMap(({ answeredMs }) => answeredMs),
      readsMs: reports.flatMap(({ readsMs }) => readsMs),
      unsaid: sumOfFailures(reports.map(({ unsaid }) => unsaid)),
      failures: sumOfFailures(reports.map(({ failures }) => failures)),
    };
  }

  async finish(): Promise<CrowdEnd> {
    const ends = await this.#ask<CrowdEnd>({ kind: 'finish' });
    const check: HistoryCheck = sum(ends.map((end) => end.check));
    const total = (of: 'unanswered' | 'unread') =>
      ends.reduce((before, end) => before + end[of], 0);
    return { check, unread: total('unread'), unanswered: total('unanswered') };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#programs.map((program) => program[Symbol.asyncDispose]()));
  }

  async #ask<Answer>(job: CrowdJob): Promise<Answer[]> {
    return await Promise.all(this.#programs.map((program) => program.ask<Answer>(job)));
  }
}
