import { providePages } from '../console/provide-pages.ts';
import { consoleProgram } from './console-program.ts';
import { browserUrl } from './http-url.ts';
import { running, type StartedPart, stopAll } from './parts.ts';
import { CONSOLE, type StackContext } from './stack-context.ts';

/** The addresses that the pages of the console are told, for browsers of this machine. */
export interface ConsoleTargets {
  readonly apiUrl: string;
  readonly mediaUrl: string;
}

/** The console's part of a stack that starts. */
type ConsolePart = StartedPart<string | undefined>;

const NONE: ConsolePart = { address: undefined };

/**
 * The console of a stack that is starting. It is for people, and no part needs it: if its pages cannot be built, or it cannot be
 * started, one sentence says so, with the remedy, and the stack goes on without it. Its states:
 *
 * Preparing: its port is chosen, and its pages are built, unless they have been before.
 *
 * Starting: from `begin`, beside the API. It waits for its pages.
 *
 * Up or missing: after `finish`.
 */
export class ComingConsole implements AsyncDisposable {
  /** The origins of the pages. A browser may call the console by each name of this machine. */
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
    // The start of the console waits for them, and explains a failure.
    this.#pages.catch(() => {});
    const hosts = [config.host, '127.0.0.1', 'localhost'];
    this.origins = [...new Set(hosts.map((host) => browserUrl(host, port)))];
  }

  /**
   * Prepares the console of a stack, or returns undefined when the user wants none. Throws a StartError when the port of the
   * user's choice is taken.
   */
  static async prepare(context: StackContext): Promise<ComingConsole | undefined> {
    const { config, portOf } = context;
    if (!config.console) return undefined;
    const port = await portOf(CONSOLE, config.host, config.console.port);
    return new ComingConsole(context, port, config.console.pagesFolder);
  }

  /** Starts the console. */
  begin(targets: ConsoleTargets): void {
    this.#targets = targets;
    this.#starting = this.#start(targets);
  }

  /** Returns the console's URL, or undefined when it did not start. Called when the API takes requests at `apiUrl`. */
  async finish(apiUrl: string): Promise<string | undefined> {
    this.#api.resolve();
    // If another program took the API's port just before the API did, the console tells its pages a wrong address.
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

  /** Stops the console, and a build of its pages. May be called more than once. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#givenUp.abort();
    this.#stopping ??= this.#starting.then((part) => stopAll([part]));
    await this.#stopping;
  }
}
