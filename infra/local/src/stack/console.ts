import { providePages } from '../builds/provide-pages.ts';
import { consoleProgram } from './console-program.ts';
import { browserUrl } from './http-url.ts';
import { running, type StartedPart, stopAll } from './parts.ts';
import { CONSOLE, type StackContext } from './stack-context.ts';

export interface ConsoleTargets {
  readonly apiUrl: string;
  readonly mediaUrl: string;
}

type ConsolePart = StartedPart<string | undefined>;

const NONE: ConsolePart = { address: undefined };

/**
 * The console of a starting stack. If it fails, one sentence gives the reason and the remedy. `prepare` chooses its port
 * and begins to build its pages, `begin` starts it while the API starts, and `finish` reports whether it is up.
 */
export class ComingConsole implements AsyncDisposable {
  /** One for each name of this machine by which a browser may call the console. */
  readonly origins: readonly string[];
  readonly #context: StackContext;
  readonly #port: number;
  readonly #givenUp = new AbortController();
  readonly #stop: AbortSignal;
  readonly #pages: Promise<string>;
  readonly #api = Promise.withResolvers<void>();
  #targets: ConsoleTargets | undefined;
  #starting: Promise<ConsolePart> = Promise.resolve(NONE);
  #stopping: Promise<void> | undefined;

  private constructor(context: StackContext, port: number, pagesFolder: string | undefined) {
    const { config, progress } = context;
    this.#context = context;
    this.#port = port;
    this.#stop = AbortSignal.any([context.stop, this.#givenUp.signal]);
    this.#pages =
      pagesFolder === undefined
        ? providePages({ stop: this.#stop, progress })
        : Promise.resolve(pagesFolder);
    // The start of the console waits for the pages, and explains a failure.
    this.#pages.catch(() => {});
    const hosts = [config.host, '127.0.0.1', 'localhost'];
    this.origins = [...new Set(hosts.map((host) => browserUrl(host, port)))];
  }

  /** Returns undefined when the user wants no console. Throws a StartError when the port of the user's choice is taken. */
  static async prepare(context: StackContext): Promise<ComingConsole | undefined> {
    const { config, portOf } = context;
    if (!config.console) return undefined;
    const port = await portOf(CONSOLE, config.host, config.console.port);
    return new ComingConsole(context, port, config.console.pagesFolder);
  }

  begin(targets: ConsoleTargets): void {
    this.#targets = targets;
    this.#starting = this.#start(targets);
  }

  /** Call it once the API takes requests at `apiUrl`. Returns the console's URL; undefined when it did not start. */
  async finish(apiUrl: string): Promise<string | undefined> {
    this.#api.resolve();
    // If another program took the API's port first, the console has a wrong address.
    const { port } = new URL(apiUrl);
    if (this.#targets && new URL(this.#targets.apiUrl).port !== port) {
      await stopAll([await this.#starting]);
      const { host } = this.#context.config;
      this.begin({ ...this.#targets, apiUrl: browserUrl(host, Number(port)) });
    }
    return (await this.#starting).address;
  }

  async #start(targets: ConsoleTargets): Promise<ConsolePart> {
    const { config, start, progress } = this.#context;
    try {
      const pagesFolder = await this.#pages;
      const options = { ...targets, port: this.#port, pagesFolder, apiReady: this.#api.promise };
      const part = await start(consoleProgram(this.#context, options));
      return running(part, browserUrl(config.host, this.#port));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (!this.#stop.aborted) progress.say(`The stack has no console. ${reason}`);
      return NONE;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#givenUp.abort();
    this.#stopping ??= this.#starting.then((part) => stopAll([part]));
    await this.#stopping;
  }
}
